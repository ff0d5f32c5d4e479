// Package report makes one HTML page of an experiment: what was found and whether it can be
// trusted, figures, tables, the environment, warnings, links to the data, the command that does it
// again.
//
// The page is one file without any external request. Its figures are inline SVG, so that it is
// whole without JavaScript; where there is some, Apache ECharts, which the page carries compressed,
// draws the same numbers again for pointing and zooming. The same experiment gives the same bytes:
// nothing in the page depends on when or where it was made, but for the links, which are relative
// to its folder.
//
// # Designs that were rejected
//
// ECharts as plain text: 1.1 MB in each page, against 0.5 MB as base64 of gzip, which all browsers
// of the last years unpack themselves (DecompressionStream). A build of ECharts with the needed
// charts only: smaller again, but no longer the file that its authors publish. Charts without SVG
// below: nothing without JavaScript, and nothing in print.
package report
