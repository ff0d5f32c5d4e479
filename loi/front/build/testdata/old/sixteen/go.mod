module sixteen

go 1.16
