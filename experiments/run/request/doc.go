// Package request defines what a run is asked to do, and checks it. Names are looked up once, at
// the door: a [Request] holds the kernel, the schedulers and the machine themselves, and whoever
// gets it compares no names.
//
//	flags, files, plans  ->  FindKernel, ParseSchedulers  ->  Request  ->  Validate  ->  a run
//
// A Request is consumed where a run begins (package measure and the documents of package result
// take their parts from it); nothing below carries it on.
//
// # Rejected
//
// A configuration of names beside its resolved twin: names were looked up again wherever one was
// needed. The settings of the document embedded in the request: the text of a binding and the
// parsed one would have to be kept in step.
package request
