// Package krd computes the Kernel Reuse Distance.
package krd
