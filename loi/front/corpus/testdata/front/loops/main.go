// Package loops has loops that are steady, some that look so, and some that end in other ways than
// by their condition. All their data lie in one array, so that places do not depend on what the
// runtime allocates.
package loops

import "fmt"

var data [1 << 12]float64
var ints [1 << 10]int
var small [1 << 9]int32
var text = "the quick brown fox jumps over the lazy dog, and so on and so on and so on"

type pair struct {
	x, y float64
	in   [4]float64
}

var pairs [100]pair

type grid struct {
	rows [][]float64
	n    int
	sum  float64
}

var g = grid{rows: [][]float64{data[0:40], data[40:80], data[80:120], data[120:160]}, n: 4}

func up(a []float64, n int) (t float64) {
	for i := 0; i < n; i++ {
		t += a[i]
	}
	for i := 1; i <= n-1; i += 3 {
		a[i] = a[i-1] + 1
	}
	for i := 0; i != n; i++ {
		a[i] += 2
	}
	return t
}

func down(a []float64, n int) (t float64) {
	for i := n - 1; i >= 0; i-- {
		t += a[i]
	}
	for i := n; i > 0; i -= 2 {
		a[i-1] = t
	}
	for i := uint(n); i != 0; i-- {
		a[i-1] *= 2
	}
	return t
}

func several(a, b, c []float64) {
	for i := range a {
		c[i] = a[i]*3 + b[len(b)-1-i] // stays within both
	}
	for i, x := range a {
		b[i] -= x
	}
	for _, x := range c {
		g.sum += x
	}
	for range a {
		g.sum++
	}
	for i := range 30 {
		a[2*i+1] = float64(i)
	}
	for i := range int32(20) {
		a[i] = 1
	}
}

func butterflies(a []float64) {
	n := len(a) / 2
	for dual := 1; dual < n; dual *= 2 {
		for f := 0; f < dual; f++ {
			for b := 0; b < n; b += 2 * dual {
				i, j := 2*(b+f), 2*(b+f+dual)
				x, y := a[j], a[j+1]
				a[j] = a[i] - x
				a[j+1] = a[i+1] - y
				a[i] += x
				a[i+1] += y
			}
		}
	}
}

func fields() {
	for i := 0; i < len(pairs); i++ {
		pairs[i].x = pairs[i].y + float64(i)
	}
	p := pairs[:]
	for i := 1; i < len(p); i++ {
		p[i].in[2] = p[i-1].in[1] + g.sum
	}
	for i := range p[3].in {
		p[3].in[i]++
	}
	q := &pairs[7]
	for i := 0; i < 4; i++ {
		q.in[i] += q.x
	}
	for i := 0; i < g.n; i++ {
		g.rows[1][i] = g.rows[2][i] // the headers stay
	}
	for i := 0; i < g.n; i++ {
		g.rows[i][0]++ // they do not
	}
	for i := 0; i < 20; i++ {
		g.n = 4 // it stores what it is compared with
		data[i]++
	}
}

func gathers() (t float64) {
	for i := range ints {
		ints[i] = (i*37 + 5) % 400
	}
	for i := range small {
		small[i] = int32((i * 53) % 300)
	}
	for i := 0; i < 200; i++ {
		t += data[ints[i]] * data[1000+i]
	}
	for i := int32(5); i < 90; i++ {
		data[small[i]] += data[i]
	}
	for i := 0; i < 60; i++ {
		data[2000+i] = data[ints[ints[i]]]
	}
	for i := range 50 {
		data[i], data[ints[i]] = data[ints[i]], data[i]
	}
	j := 3
	for i := 0; i < 40; i++ {
		data[j] += data[ints[i]] // j is not what it was
		j = ints[i]
	}
	for i := small[3]; i < small[9]; i++ {
		data[ints[i]]++
	}
	return t
}

func inductions(a []float64) {
	j, k := 0, 300
	for i := 0; i < 50; i++ {
		a[j] += a[k]
		j += 3
		k--
	}
	for i := 0; i < 10; i++ {
		j++
		a[i] = a[j]
		j++ // twice
	}
	for i := 0; i < 20; i++ {
		m := i * i
		a[m] = 1
	}
	for i, w := 0, 1; i < 8; i++ {
		a[w]++
		w *= 2
	}
	for i := 0; i < 20; i++ {
		if i == 11 {
			j = 40
		}
		a[j]++
	}
}

func conditions(a []float64) (t float64) {
	for i := 0; i < 50; i++ {
		if a[i] > t {
			t = a[i]
		}
	}
	for i := 0; i < 50; i++ {
		x := a[i]
		if x < 2 && x > -2 {
			x = 2
		}
		a[i+1] = x
	}
	for i := 0; i < 50; i++ {
		if i%7 == 3 {
			continue
		}
		a[i]++
	}
	for i := 0; i < 50; i++ {
		if a[i] == 1e9 {
			break
		}
	}
	for i := 0; i < len(text); i++ {
		t += float64(text[i])
	}
	for i := 0; i < 30 && a[i] < 1e9; i++ {
		t++
	}
	return t
}

func panics(what func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println("recovered:", r)
		}
	}()
	what()
}

func beyond() {
	a, b, short := data[0:100], data[200:300], data[300:340]
	n := 100
	panics(func() {
		for i := 0; i < n; i++ {
			a[i] = short[i] + b[i]
		}
	})
	panics(func() {
		for i := 0; i < n; i++ {
			a[i] = b[ints[i]]
		}
	})
	panics(func() {
		k := 50
		for i := 0; i < n; i++ {
			k -= 3
			a[i] = b[k]
		}
	})
	panics(func() {
		for i := 0; i < 9; i++ {
			a[i] = float64(ints[i] / (i - 5))
		}
	})
	var none *grid
	panics(func() {
		for i := 0; i < 5; i++ {
			none.rows[i][0] = 1
		}
	})
}

func wraps(a []float64) {
	n := 0
	for i := uint8(250); i != 5; i++ {
		a[i]++
	}
	for i := int8(100); i > 0; i++ {
		a[i]++
	}
	for i := uint8(0); i < 255; i += 2 {
		a[i]++
		if n++; n > 400 {
			return
		}
	}
}

func lengths(a []float64) {
	for n := 0; n < 8; n++ {
		up(a[:n], n)
		down(a[n:2*n+1], n+1)
		for i := 5; i < n; i += 2 {
			a[i]++
		}
	}
}

func Main() {
	for i := range data {
		data[i] = float64(i%17) - 8
	}
	fmt.Println(up(data[3:203], 200), down(data[100:250], 150))
	several(data[500:600], data[600:700], data[700:800])
	butterflies(data[1024 : 1024+256])
	fields()
	fmt.Println(gathers())
	inductions(data[1500:2100])
	fmt.Println(conditions(data[10:100]))
	beyond()
	wraps(data[2200:2600])
	lengths(data[2700:2800])
	t := 0.0
	for i := range data {
		t = t/2 + data[i]
	}
	fmt.Println(t, g.sum, ints[17], small[9])
	odd()
}
