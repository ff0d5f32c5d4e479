package components

import "krdlab/krd/doc"

// The codes of findings, with what their arguments are.
const (
	// nothingMoves, smallerThanRun: no argument.
	nothingMoves   doc.Code = "nothing_moves"
	smallerThanRun doc.Code = "smaller_than_run"
	// sizesBetween: the factor that is no power of two.
	sizesBetween doc.Code = "sizes_between"
	// anotherLaw: accesses that are elsewhere, in per cent.
	anotherLaw doc.Code = "another_law"
	// sizesAlike: the factor.
	sizesAlike doc.Code = "sizes_alike"
	// componentMoves: the law. componentWidens: those of its first and its last bin. componentAppears:
	// its share in per cent, the size.
	componentMoves   doc.Code = "component_moves"
	componentWidens  doc.Code = "component_widens"
	componentAppears doc.Code = "component_appears"
	// crossesCache: accesses beyond the cache in per cent, the cache, the size; the same of the largest
	// run; the sizes at which it crosses.
	crossesCache doc.Code = "crosses_cache"
)

func init() {
	doc.Catalogue(map[doc.Code]doc.Entry{
		componentMoves: {Level: doc.Answer, Example: []any{"n"}, Words: "its distances grow as %v"},
		componentWidens: {Level: doc.Answer, Example: []any{"fixed", "n"}, Words: "it gets wider: its distances grow as " +
			"%v to %v"},
		componentAppears: {Level: doc.Answer, Example: []any{30.0, "1024"}, Words: "it holds %.3g %% " +
			"of the accesses at %v, and hardly any at smaller sizes"},
		crossesCache: {Level: doc.Answer, Example: []any{30.0, "LLC (32 MiB)", "100000", 0.0, "4000", "26200 to 52400"},
			Words: "%.3g %% of its accesses go beyond %s at %v, and %.3g %% at %v; it crosses at sizes of %v"},
		nothingMoves: {Level: doc.Doubt, Words: "no component moves with the size: only shares change"},
		anotherLaw: {Level: doc.Doubt, Example: []any{12.0}, Words: "components that move by 0, 1/2, " +
			"1 or 2 bins misplace %.0f %% of the accesses of a smaller input: they may grow by " +
			"another law, or the small sizes do not show it yet"},
		sizesAlike: {Level: doc.Doubt, Example: []any{1.2}, Words: "the sizes differ by a factor of " +
			"only %.3g, too little to see components move"},
		sizesBetween: {Level: doc.Doubt, Example: []any{2.5}, Words: "a size is %.3g times another, no power of two: what " +
			"moves by a part of a bin is spread over two; sizes that double, up to the predicted one, tell more"},
		smallerThanRun: {Level: doc.Note, Words: "the size asked for is less than the largest that was run"},
	})
}
