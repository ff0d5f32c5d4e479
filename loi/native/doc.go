// Package native has C, C++ and Fortran programs record which data they access: a compiler that can
// build for a thread sanitizer calls out at each load, store, function entry and exit, and the runtime
// in the folder c, which is linked in that sanitizer's place, writes the stream that rewritten Go
// programs write.
//
//	krdlab cc: Invocation -> the user's compiler, with c compiled by it into a cache -> program
//	krdlab native: Open(program) -> sites and regions by DWARF -> collect.Memory -> collect.Reader
//
// A site is a call of the runtime in the program's code, found by the instruction's target. The
// memory shared with the program has a table of the sites, a word for each byte of code, so that the
// runtime finds the number of one by a single load.
//
// loi.h is apart from these: with it, programs write trace files by themselves. A wrapper's compiler finds
// it behind all folders of the user.
//
// # Rejected
//
//   - Addresses of code in the events, and sites made of them by the reader: it would look up each of
//     10^8 accesses in a second.
//   - Numbers that the runtime gives to sites when it sees them first: all consumers of the stream
//     begin with the sites known, and accounts are kept by site in memory of a fixed size.
//   - A plug-in of the compiler: one for each compiler and version.
package native
