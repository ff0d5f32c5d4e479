module old

go 1.11

require (
	none v0.0.0
	seventeen v0.0.0
	sixteen v0.0.0
)

replace (
	none => ./none
	seventeen => ./seventeen
	sixteen => ./sixteen
)
