package slurm

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"krdlab/hw/failure"
)

// Indices are cells of a plan, ascending: 0-3,7 as a text, and 0-18:6 where every sixth is.
type Indices []int

func (list Indices) String() string {
	var parts []string
	for i := 0; i < len(list); {
		j, step := i, 1
		if i+1 < len(list) {
			step = list[i+1] - list[i]
		}
		for j+1 < len(list) && list[j+1]-list[j] == step {
			j++
		}
		switch {
		case j-i < 2:
			j = i
			parts = append(parts, fmt.Sprint(list[i]))
		case step == 1:
			parts = append(parts, fmt.Sprintf("%d-%d", list[i], list[j]))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d:%d", list[i], list[j], step))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// mostIndices is of how many cells a text may be.
const mostIndices = 1 << 24

// ParseIndices is the inverse of [Indices.String].
func ParseIndices(text string) (list Indices, err error) {
	for part := range strings.SplitSeq(text, ",") {
		part, stepText, hasStep := strings.Cut(part, ":")
		firstText, lastText, isRange := strings.Cut(part, "-")
		first, err := strconv.ParseUint(firstText, 10, 31)
		last, step := first, uint64(1)
		if err == nil && isRange {
			last, err = strconv.ParseUint(lastText, 10, 31)
		}
		if err == nil && hasStep {
			step, err = strconv.ParseUint(stepText, 10, 31)
		}
		if err != nil || last < first || step == 0 || hasStep && !isRange ||
			(last-first)/step+uint64(len(list)) >= mostIndices {
			return nil, failure.Errorf(failure.Request, "cells %q: expected numbers from 0 and ranges, "+
				"such as 4 or 0-3,7", text)
		}
		for i := first; i <= last; i += step {
			list = append(list, int(i))
		}
	}
	return list, nil
}

// MarshalJSON returns the text.
func (list Indices) MarshalJSON() ([]byte, error) { return json.Marshal(list.String()) }

// UnmarshalJSON parses the text.
func (list *Indices) UnmarshalJSON(b []byte) error {
	var text string
	err := json.Unmarshal(b, &text)
	if err == nil {
		*list, err = ParseIndices(text)
	}
	return err
}
