module constructs

go 1.26
