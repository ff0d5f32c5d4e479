// Package run holds what one run consists of: what is asked, how it is measured, what is kept of it,
// and what a person reads of it. It has no code of its own.
package run
