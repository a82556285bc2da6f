package htsim

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// exists tells whether there is a file of that name, packed or not.
func exists(dir, name string) bool {
	for _, ending := range [...]string{"", ".gz"} {
		if _, err := os.Stat(filepath.Join(dir, name+ending)); err == nil {
			return true
		}
	}
	return false
}

// open opens a file, or unpacks the one of the same name that ends in .gz.
func open(dir, name string) (io.ReadCloser, error) {
	path := filepath.Join(dir, name)
	file, err := os.Open(path)
	if err == nil || !os.IsNotExist(err) {
		return file, err
	}
	packed, second := os.Open(path + ".gz")
	if second != nil {
		return nil, err
	}
	text, err := gzip.NewReader(packed)
	if err != nil {
		packed.Close()
		return nil, err
	}
	return unpacked{text, packed}, nil
}

// unpacked reads a packed file.
type unpacked struct {
	io.Reader
	io.Closer
}

// eachLine calls take for every line of a file that is not empty. An error gets the place.
func eachLine(dir, name string, take func(line string) error) error {
	file, err := open(dir, name)
	if err != nil {
		return err
	}
	defer file.Close()
	scanner := bufio.NewScanner(file)
	for number := 1; scanner.Scan(); number++ {
		if scanner.Text() == "" {
			continue
		}
		if err := take(scanner.Text()); err != nil {
			return fmt.Errorf("%s:%d: %w", filepath.Join(dir, name), number, err)
		}
	}
	return scanner.Err()
}
