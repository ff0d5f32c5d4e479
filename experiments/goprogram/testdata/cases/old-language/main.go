// Before Go 1.20 an interface was no type argument for a comparable parameter.
package main

import (
	"fmt"
	"reflect"
)

type key interface{ String() string }

type table struct {
	any   map[any]int
	types map[reflect.Type]string
	keys  map[key]int
}

var t *table

func main() {
	t = &table{any: map[any]int{}, types: make(map[reflect.Type]string), keys: map[key]int{}}
	for i := 0; i < 10; i++ {
		t.any[i%3]++
		of := reflect.TypeOf(i)
		t.types[of] = "int"
	}
	delete(t.any, 1)
	sum := 0
	for k, n := range t.any {
		sum += k.(int) * n
	}
	for k := range t.keys {
		fmt.Println(k)
	}
	n, ok := t.keys[nil]
	fmt.Println(sum, len(t.types), n, ok)
}
