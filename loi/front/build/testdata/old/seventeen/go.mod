module seventeen

go 1.17
