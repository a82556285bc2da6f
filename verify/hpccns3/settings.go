package hpccns3

import (
	"bufio"
	"fmt"
	"math/big"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rdmasim/rdmasim/fabric/topology/hpccfile"
)

// settings is a config.txt: words by key, and the first thing that was wrong with one.
type settings struct {
	file  string
	words map[string][]string
	err   error
}

// readSettings reads a config.txt: lines of a key and its values.
func readSettings(dir string) (*settings, error) {
	s := &settings{file: filepath.Join(dir, "config.txt"), words: map[string][]string{}}
	from, err := hpccfile.Open(s.file)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		if f := strings.Fields(lines.Text()); len(f) > 0 {
			s.words[f[0]] = f[1:]
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.file, err)
	}
	return s, nil
}

// has tells whether a key is there with a value.
func (s *settings) has(key string) bool { return len(s.words[key]) > 0 }

// word is the first value of a key, or what it is by default.
func (s *settings) word(key, otherwise string) string {
	if !s.has(key) {
		return otherwise
	}
	return s.words[key][0]
}

// on tells whether a key is a number other than 0.
func (s *settings) on(key string, otherwise string) bool { return s.number(key, otherwise).Sign() != 0 }

func (s *settings) number(key, otherwise string) *big.Rat {
	n, ok := new(big.Rat).SetString(s.word(key, otherwise))
	if !ok {
		s.fail("%s %s: not a number", key, s.word(key, otherwise))
		return new(big.Rat)
	}
	return n
}

// rate is a rate as a scenario writes it: 20Mb/s is 20Mbps.
func (s *settings) rate(key, otherwise string) string {
	return strings.Replace(s.word(key, otherwise), "b/s", "bps", 1)
}

// byRate is a map from the rates of ports to numbers: a count, then pairs.
func (s *settings) byRate(key string) map[int64]*big.Rat {
	words := s.words[key]
	numbers := map[int64]*big.Rat{}
	for i := 1; i+1 < len(words); i += 2 {
		rate, err := strconv.ParseInt(words[i], 10, 64)
		value, ok := new(big.Rat).SetString(words[i+1])
		if err != nil || !ok {
			s.fail("%s %s %s: not a rate and a number", key, words[i], words[i+1])
			return nil
		}
		numbers[rate] = value
	}
	return numbers
}

func (s *settings) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("%s: %s", s.file, fmt.Sprintf(format, args...))
	}
}
