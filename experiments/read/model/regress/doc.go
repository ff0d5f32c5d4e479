// Package regress fits linear models with interactions to tables: P. Rao and K. Murakami, "Using
// Statistical Models for Embedded Java Performance Analysis" (the regression paper). It holds
// numbers only; experiments/read/model reads tables, words and draws.
//
//	frame.go, variable.go  a table, and the columns and transformations of them that a formula names
//	formula.go             R's notation: y ~ (a + b)^2 - a:b | group
//	design.go              the matrix of a formula, with categories as contrasts
//	fit.go, errors.go      least squares, and the errors of its coefficients
//	compare.go             criteria (R's BIC, the paper's equation 5) and nested F-tests
//	step.go                stepwise search
//	validate.go            cross-validation, and groups left out
//	cluster.go, rank.go    predictors before a fit: their clusters, and their strength in ranks
//
// The paper's slips: the double sum of equation 2 starts at j = i and so has squares, which R's
// (a + b)^2 and the paper's own models have not; equation 5 is no Bayesian information criterion of
// R (that is [Fit.BIC]); equation 6 is the adjusted R^2 ([Fit.R2Adjusted]), and its table IV does
// not say which of the two it has; equation 7 names the larger model's R^2 as that of the reduced
// one, so that F would be negative, and takes one degree of freedom too many where p counts the
// intercept, as in equation 5. Each is computed here as it must be, under its own name.
//
// Rejected: the normal equations of the paper's equation 4, whose condition is that of the matrix
// squared; Givens updates in the stepwise search, where factorising the triangle again takes 20 ms
// with 465 terms.
package regress
