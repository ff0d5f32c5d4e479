// Package run holds the packages that make up one run: its request, its measurement, its results on
// disk and their text. It has no code of its own.
package run
