module regions

go 1.26
