// Package show is what people read: numbers and quantities as text, the tables of a run, and the
// sentences of warnings. Documents hold values; whatever words a person sees of them are made here.
//
//	result.Number, Quantity  ->  doc.Aligned, doc.Ranges, doc.Counts, doc.Times   one table of number formats
//	rows, sentences          ->  doc.Table, doc.Page                      one layout, which keeps to a width
//	result.Warning           ->  Sentences                        one place for the words
//	[]result.Result          ->  WriteBrief, WriteTable           what `krdlab run` prints
package show
