// Reads a file of Prometheus rules as Prometheus does, and says what is wrong with it.
package main

import (
	"fmt"
	"os"

	"github.com/prometheus/prometheus/model/rulefmt"
)

func main() {
	_, errs := rulefmt.ParseFile(os.Args[1], false)
	for _, err := range errs {
		fmt.Fprintln(os.Stderr, err)
	}
	if len(errs) > 0 {
		os.Exit(1)
	}
}
