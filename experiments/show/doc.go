// Package show is what people read: numbers and quantities as text, the tables of a run, and the
// sentences of warnings. Documents hold values; whatever words a person sees of them are made here.
//
//	result.Number, Quantity  ->  Digits, Time, Count, ...   one formatter
//	rows                     ->  NewTable, Render           one table layout
//	result.Warning           ->  Sentences                  one place for the words
//	[]result.Result          ->  WriteTable                 what `krdlab run` prints
package show

import ()

import ()
