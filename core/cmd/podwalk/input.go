package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"

	"podwalk/core/kubectl"
	"podwalk/core/scenario"
)

// input reads the files of a command line; stdin can be read once.
type input struct {
	stdin io.Reader
	used  bool
}

// source reads one FILE: a file, "-", or a folder as kubectl reads it.
func (in *input) source(name string) (scenario.Source, error) {
	if name == "-" {
		f, err := in.one(name)
		if err != nil {
			return scenario.Source{}, err
		}
		return scenario.Source{Name: name, Files: []kubectl.File{*f}}, nil
	}
	files, err := readPath(name, name)
	return scenario.Source{Name: name, Files: files}, err
}

// one reads a single file or "-".
func (in *input) one(name string) (*kubectl.File, error) {
	if name != "-" {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		return &kubectl.File{Name: name, Text: text}, nil
	}
	if in.used {
		return nil, fmt.Errorf("- (stdin) can be read only once")
	}
	in.used = true
	text, err := io.ReadAll(in.stdin)
	if err != nil {
		return nil, fmt.Errorf("reading stdin: %w", err)
	}
	return &kubectl.File{Name: "STDIN", Text: text}, nil
}

// readPath reads a file, or the .json, .yaml and .yml files of a folder, sorted
// and without its sub-folders (cli-runtime/pkg/resource/visitor.go).
func readPath(path, shown string) ([]kubectl.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return []kubectl.File{{Name: shown, Text: text}}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var files []kubectl.File
	for _, e := range entries {
		switch filepath.Ext(e.Name()) {
		case ".json", ".yaml", ".yml":
		default:
			continue
		}
		if e.IsDir() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(path, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, kubectl.File{Name: filepath.Join(shown, e.Name()), Text: text})
	}
	sort.Slice(files, func(i, j int) bool { return files[i].Name < files[j].Name })
	return files, nil
}

// dirFiles opens the files that kubectl lines of a script name, relative to it.
type dirFiles struct{ dir string }

func (d dirFiles) Open(name string) ([]kubectl.File, error) {
	path := name
	if !filepath.IsAbs(name) {
		path = filepath.Join(d.dir, name)
	}
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return nil, fmt.Errorf("the path %q does not exist", name)
	}
	return readPath(path, name)
}

// OpenTree is Open with the folders in a folder.
func (d dirFiles) OpenTree(name string) ([]kubectl.File, error) {
	files, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(filepath.Join(d.dir, name))
	if err != nil {
		return files, nil // it is a file
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		more, err := d.OpenTree(filepath.Join(name, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	return files, nil
}

func folderOf(file string) string { return filepath.Dir(file) }

func seed(s string) (*uint64, error) {
	if s == "" {
		return nil, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("--seed %s: want a whole number", s)
	}
	u := uint64(n)
	return &u, nil
}
