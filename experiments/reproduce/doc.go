// Package reproduce redoes the evaluation of the KRD paper (figures 1, 2, 4, 5, 6 and table I) and
// sets the paper's statements beside what came out.
//
// A [Claim] is a statement of the paper with a test whose thresholds are part of this program: they
// were written down before any of its runs, and are the same for all scales. A test compares 95 %
// intervals, so that a difference that the repetitions do not show is "cannot tell" and not "agree"
// or "disagree". Claims whose numbers the simulated machine was fitted to are marked as such: that
// they agree says nothing.
package reproduce
