package doc

// A Finding is a judgement or a doubt as a value: a code, and the numbers and names that belong to
// it. Sentences are made of findings where they are printed; nothing looks at sentences.
type Finding struct {
	Code Code  `json:"code"`
	Args []any `json:"args"`
}

// A Code names what a finding is about. Documents keep codes: they are added, never renamed.
type Code string

// Find returns a finding.
func Find(code Code, args ...any) Finding {
	if args == nil {
		args = []any{}
	}
	return Finding{code, args}
}
