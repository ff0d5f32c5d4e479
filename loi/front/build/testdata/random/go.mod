module random

go 1.26
