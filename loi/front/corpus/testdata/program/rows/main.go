package rows

var row, col = make([]int, 1001), make([]int, 5000)
var x = make([]int, 5000)

func Main() {
	for r := 0; r < 1000; r++ {
		row[r+1] = row[r] + r%9
	}
	for i := range col {
		col[i] = i * 7 % len(x)
	}
	sum := 0
	for k := 0; k < 250; k++ {
		for r := 0; r < 1000; r++ {
			for i := row[r]; i < row[r+1]; i++ {
				sum += x[i]
			}
			for i := row[r+1] - 1; i >= row[r]; i-- {
				x[col[i]] += k
			}
			for i := range x[row[r]:row[r+1]] {
				sum += x[i] + x[col[i]]
			}
		}
	}
	println(sum)
}
