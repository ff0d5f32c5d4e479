package deep

func deep(n int) int {
	if n == 0 {
		return 0
	}
	return deep(n-1) + 1
}

func Main() { deep(200000) }
