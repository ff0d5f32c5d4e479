module example.org/live

go 1.26
