// Package front rewrites Go programs so that they record which data they access.
//
//	typed packages -> Rewrite -> sources with calls of the agent, and a table of sites
//
// Rewriting inserts bytes and prints nothing anew: each line of the original is the same line of
// the result, with its comments and directives. The agent's calls are documented in
// build/_agent/agent.go.
//
//	i = p.ctr  =>  i = (*A.L(B, &(p.ctr), 1))
//	p.ctr = i  =>  p.ctr = i; A.L(B, &(p.ctr), 1)
//
// A rewritten program does what it did. Its order of evaluation is that of the gc compiler, which
// is stricter than the language: in p.f + g() the call comes first and then the load. So a load
// before a call in its statement is recorded only where its address cannot change by then
// (settled); P and Q compute it without touching p. A store is recorded behind its statement, by
// evaluating its operands again: nothing is between, so they are the same, unless the statement
// itself stored one of them (unsettled). Accesses that cannot be observed so are left alone and
// listed.
//
// A comment that shows what becomes of a statement, as here, is a test (TestPairs): A is the agent,
// B the goroutine's buffer, D the depth of regions. Longer ones stand in testdata/pairs.txt. A new
// case begins with its pair.
//
// # Passes
//
// A pass walks the typed tree of a function and adds edits (edits.go): text around a stretch of the
// source, inside a block's braces, or in place of a stretch. Only loopsOf and the last two read
// text that another pass has written; fn and rewriter hold what else passes share. Around the same
// stretch a later pass stands outside. In their order:
//
//   - accessesOf (stmt.go, assign.go, range.go, expr.go and what these call) records loads, stores,
//     allocations, and counts accesses left alone (counts.go). It meets the function literals and
//     makes a fn of each, decides which function is a region and how it ends (plan), and fills
//     nodes (the site of an access), visited (the calls that are made) and visits (loops over
//     something). Where a value has to be evaluated early it leaves a hoist.
//   - atomicsOf records calls of sync/atomic. It assumes that embedded pointers on the way to the
//     variable are explicit where accesses has edited the function called.
//   - regionsOf numbers the regions and records where functions and loops begin and end, but not what
//     a return leaves. It notes the loops in whose bodies it has put something (iterated).
//   - loopsOf makes two loops of one that is steady: of those that are not iterated, by the sites in
//     nodes. For the second it has accesses rewrite the body again, into a draft.
//   - valuesOf records operations. Their operands are sites, and they name the function's region: both
//     have to be known. It needs the iterations of loops, so that loopsOf has done nothing.
//   - returns and move, at last, put text elsewhere: results into variables in front of what the
//     others want between them and the return, a hoisted value in front of its statement. Inner
//     functions come first: what is moved has to be complete.
//
// With Options.Tries another pass is alone: triedOf (try.go) has loops executed in other orders, and
// nothing is recorded. It has accessesOf name the functions, and drops what that has edited.
//
// # Rejected
//
//   - Printing the syntax tree: it moves comments and lines. Instrumenting the compiler's output as
//     the race detector does: it has no types, fields or sites.
//   - A program made of the instructions of go/ssa (values.go), with an event for each that
//     computes or accesses, in place of a site with a table of its operands and one event. On
//     SciMark's sparse product (n 1000, nz 50000, 40 times, events into one buffer that nobody
//     reads; best of seven) an inner iteration takes 12.5 ns for 10.3 events, and 8.2 ns for 6.2
//     events with sites; 4.4 ns for 3.1 events with accesses alone, 0.8 ns as it is. The output has
//     96 lines for 9 of the source, with labels and gotos in place of statements: lines, defers,
//     panics and the variables that the compiler keeps on the stack are no longer those of the
//     program.
//   - An event at the condition of a loop and one at its post statement: no statement can follow
//     the latter. One event stands at the beginning of an iteration.
//   - Accesses to the stack as events: 16 bytes each and a turn of the reader. Counters of each
//     goroutine: a page for each. All add to one counter by site.
//   - An event before each loop with its addresses computed from the source (loops.go): this would
//     repeat gc's order of evaluation. Two iterations are run, recorded and compared. An event
//     before the loop that is completed behind it: a reader that looks into chunks meanwhile would
//     read half of it.
//   - A filter in the program for the line that the same goroutine accessed last: two objects share
//     a line of 64 bytes in memory and not in virtual space, so that only the reader can tell them
//     apart. An access that the reader's filter answers takes it 10 ns, beside the program.
//   - A deferred call in each function to end its region (regions.go): the compiler inlines no
//     function that defers, and what it allocates would move. Results are kept in variables, and
//     only functions that defer end by a deferred call. An event for each way out of a loop: every
//     event has the number of open functions. Regions from the sites of accesses alone: two
//     activations of a function look the same.
package front
