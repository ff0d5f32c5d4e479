// Package request is what a run is asked to do. Names are looked up once, at the door: a [Request]
// holds the kernel, the schedulers and the machine themselves, and whoever gets it compares no
// names.
//
//	flags, files, plans  ->  FindKernel, ParseSchedulers  ->  Request  ->  Validate  ->  a run
//
// A Request is consumed where a run begins (package measure and the documents of package result
// take their parts from it); nothing below carries it on.
package request
