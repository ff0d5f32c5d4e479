module example.org/old

go 1.18
