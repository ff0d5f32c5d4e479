// Package read holds what is concluded from runs that are kept: differences, correlations, winners,
// models. It has no code of its own.
package read
