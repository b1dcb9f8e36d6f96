// A program that marks its own launch. cgo includes the header, so that it needs no library.
//
//	go build start.go
//	launchlab stages --collect marks --ready mark -- ./start
package main

// #include <stdlib.h>
// #include "launch_marks.h"
import "C"

import "unsafe"

// mark makes a mark; Go's strings have no zero byte at their end.
func mark(name string) {
	text := C.CString(name)
	C.launch_mark(text)
	C.free(unsafe.Pointer(text))
}

func main() {
	name := C.CString("database")
	database := C.launch_interval_begin(name)
	C.free(unsafe.Pointer(name))
	sum := 0
	for number := range make([]int, 1000) {
		sum += number
	}
	C.launch_interval_end(database)
	if sum != 499500 {
		panic(sum)
	}
	mark("first frame: ✓")
	C.launch_ready()
}
