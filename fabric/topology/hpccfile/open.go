package hpccfile

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Open opens a file to be read. One whose name ends in .gz is unpacked on the way: files of large networks are often
// kept compressed. The error names the file.
func Open(path string) (io.ReadCloser, error) {
	file, err := os.Open(path)
	if err != nil || !strings.HasSuffix(path, ".gz") {
		return file, err
	}
	text, err := gzip.NewReader(file)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return &unpacked{text, file}, nil
}

// unpacked is a compressed file as its content.
type unpacked struct {
	*gzip.Reader
	file *os.File
}

// Close closes the file.
func (u *unpacked) Close() error { return errors.Join(u.Reader.Close(), u.file.Close()) }
