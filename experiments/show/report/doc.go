// Package report makes the HTML page of an experiment: what was found and whether it can be trusted,
// figures, tables, the environment, warnings, links to the data, and the command that does it again.
//
// The page is a [doc.Doc], rendered as every other page. The same experiment gives the same bytes:
// nothing in the page depends on when or where it was made, except the links, which are relative to
// its folder.
package report
