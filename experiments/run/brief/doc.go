// Package brief writes the tables and sentences that a terminal shows of runs and of reuse
// distances, as documents of krd/doc. It turns the codes of warnings into sentences.
//
//	[]result.Result              ->  WriteBrief, WriteTable          what `krdlab run` prints
//	krd.Report, SampleReport     ->  KRD, KRDs, Ranking, Sample      what `krdlab krd` prints
//	result.Warning               ->  Sentences                       the words of codes
package brief
