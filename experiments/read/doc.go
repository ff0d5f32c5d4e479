// Package read holds the packages that draw conclusions from kept runs: differences, correlations,
// winners, models. It has no code of its own.
package read
