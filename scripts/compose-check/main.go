// Reads compose files as Docker Compose does. It prints them as one resolved file in JSON, or prints their error:
//
//	go run . [-env-file FILE] FILE...
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	envFile := flag.String("env-file", "", "variables of the compose files")
	flag.Parse()
	options := []cli.ProjectOptionsFn{cli.WithWorkingDirectory(".")}
	if *envFile != "" {
		options = append(options, cli.WithEnvFiles(*envFile), cli.WithDotEnv)
	}
	read, err := cli.NewProjectOptions(flag.Args(), options...)
	if err == nil {
		project, failure := read.LoadProject(context.Background())
		if err = failure; err == nil {
			err = json.NewEncoder(os.Stdout).Encode(project)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
