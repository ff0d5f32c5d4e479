module values

go 1.26
