module example.org/randomloops

go 1.26
