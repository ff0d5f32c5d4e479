package main

import (
	"fmt"
	"none"
	"os"
	"seventeen"
	"sixteen"
)

var order = []string{"main"}

func main() {
	fmt.Println("numbers", numbers(&[6]int{5: 3}))
	fmt.Println("interfaces", interfaces(&file{text: "ab"}))
	fmt.Println("arrays", arrays([]byte{1, 2, 3, 4}), seventeen.Array([]int{5, 6, 7}))
	fmt.Println("own names", ownNames(&names{3, 7}), seventeen.Names([]float64{-1.5, 2}))
	fmt.Println("brackets", brackets(&grid{1, 2, 3, 4}))
	fmt.Println("equal", equal(&key{1}, &key{[]int{1}}))
	fmt.Println("loops", loops(&[3]int{}), none.Loops(&[3]int{}), newLoops(&[3]int{}))
	fmt.Println("panic", recovered(&file{}))
	fmt.Println("embed", sixteen.Size(&[1]int{}))
	fmt.Println("order", append(append(none.Order, seventeen.Order...), order...))
	fmt.Println("lines", lines(&[1]int{}))
	if len(os.Args) > 1 {
		fmt.Println(os.Args[1:])
	}
}
