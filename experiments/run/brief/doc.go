// Package brief makes what people read of runs and of reuse distances: documents (krd/doc), and the
// sentences of warnings, of which the documents of a run hold codes.
//
//	[]result.Result              ->  WriteBrief, WriteTable          what `krdlab run` prints
//	krd.Report, SampleReport     ->  KRD, KRDs, Ranking, Sample      what `krdlab krd` prints
//	result.Warning               ->  Sentences                       the words of codes
package brief
