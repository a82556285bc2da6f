package model_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads/model"
)

func ExampleRead() {
	m, err := model.Read("mine.csv", 1, strings.NewReader("name,count,params,flops\nconvolution,3,1.5M,200M\nclassifier,1,2M,4M\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Depth(), m.Params(), m.FLOPs())
	_, err = model.Read("yours.csv", 1, strings.NewReader("name,params\nconvolution,1.5M\nclassifier,2 million\n"))
	fmt.Println(err)
	// Output:
	// 4 6500000 604000000
	// yours.csv:3: params: "2 million": not a whole number that an int64 holds; write a number such as 25557032, 25.5M or 4G
}

// The numbers of parameters are those that the models' publishers count: torchvision 25,557,032; the others as transformers prints
// them for the published weights, but GPT-3, whose weights are not, from 12Lhh(1 + 13/12h + (V+s)/12Lh) + 2h (Narayanan and others, 2021, eq. 2, and the
// last normalisation).
func TestModelsHaveTheParametersThatTheirPublishersCount(t *testing.T) {
	for name, want := range map[string]int64{
		"resnet-50": 25_557_032, "llama2-7b": 6_738_415_616, "llama2-70b": 68_976_648_192, "mixtral-8x7b": 46_702_792_704,
		"gpt2": 124_439_808, "olmoe-1b-7b": 6_919_161_856,
		"gpt3-175b": 12*96*12288*12288 + 13*96*12288 + (50257+2048)*12288 + 2*12288,
	} {
		if got := model.Named(name).Params(); got != want {
			t.Errorf("%s has %d parameters, want %d", name, got, want)
		}
	}
	for _, name := range model.Names() {
		if m := model.Named(name); m == nil || m.Name != name || m.Length < 1 {
			t.Errorf("%s is named and not there: %+v", name, m)
		}
	}
	if m := model.Named("resnet-51"); m != nil {
		t.Errorf("there is %+v", m)
	}
}

// ResNet-50 takes 4.09 thousand million multiply-adds (torchvision). A dense transformer takes 2 FLOPs for each parameter in a matrix, and
// 4sh in each block for attention (Narayanan and others, 2021); of a mixture's experts a token passes 2 of 8.
func TestModelsTakeTheOperationsThatFormulasGive(t *testing.T) {
	for _, c := range []struct {
		name string
		want int64
	}{
		{"resnet-50", 2 * 4_089_184_256},
		{"gpt3-175b", 96*(24*12288*12288+4*2048*12288) + 2*12288*50257},
		{"llama2-7b", 2*(6_738_415_616-131_072_000-(2*32+1)*4096) + 32*4*4096*4096},
		{"llama2-70b", 2*(68_976_648_192-262_144_000-(2*80+1)*8192) + 80*4*4096*8192},
		{"gpt2", 12*(24*768*768+4*1024*768) + 2*768*50257},
		// Each token goes to 8 of 64 experts; 4h of each block and h at the end are no matrices.
		{"olmoe-1b-7b", 2*(6_919_161_856-103_022_592-(4*16+1)*2048-16*56*6_291_456) + 16*4*4096*2048},
		{"mixtral-8x7b", 2*(46_702_792_704-131_072_000-(2*32+1)*4096-32*6*176_160_768) + 32*4*4096*4096},
	} {
		if got := model.Named(c.name).FLOPs(); got != c.want {
			t.Errorf("%s takes %d FLOPs, want %d", c.name, got, c.want)
		}
	}
}

// Its 53 convolutions, block by block, as the paper's table 1 has them: between stages images become half as wide.
func TestResNetIsThatOfThePaper(t *testing.T) {
	layers := model.Named("resnet-50").Layers
	convolution := func(in, out, kernel, size int64) (params, flops int64) {
		return in*out*kernel*kernel + 2*out, 2 * in * out * kernel * kernel * size * size
	}
	at := 0
	check := func(in, out, kernel, size int64) {
		params, flops := convolution(in, out, kernel, size)
		if l := layers[at]; l.Params != params || l.FLOPs != flops || l.Count != 1 {
			t.Errorf("%s is %+v, want %d parameters and %d FLOPs", l.Name, l, params, flops)
		}
		at++
	}
	check(3, 64, 7, 112)
	in := int64(64)
	for stage, blocks := range []int{3, 4, 6, 3} {
		width, size := int64(64)<<stage, int64(56)>>stage
		for block := range blocks {
			before := size
			if block == 0 && stage > 0 {
				before = 2 * size
			}
			check(in, width, 1, before)
			check(width, width, 3, size)
			check(width, 4*width, 1, size)
			if block == 0 {
				check(in, 4*width, 1, size)
			}
			in = 4 * width
		}
	}
	if last := layers[at]; at != len(layers)-1 || last.Params != 2048*1000+1000 {
		t.Errorf("after %d convolutions comes %+v", at, last)
	}
}

func TestFilesThatAreNoTablesAreRefusedWithTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                                  `t.csv:1: a table without layers`,
		"# nothing\n":                                       `t.csv:1: a table without layers`,
		"name,params\n":                                     `t.csv:1: a table without layers`,
		"name,weights\na,1\n":                               `t.csv:1: there is no column "weights"; the columns are name, count, params`,
		"name,params,name\na,1,b\n":                         `t.csv:1: column name is there twice`,
		"name,params\n# a\n\na,1\nb,1,2\n":                  `t.csv:5: wrong number of fields`,
		"name,params\na,1\nb,\"2\n":                         `t.csv:`,
		"name,params\na,-1\n":                               `t.csv:2: params: "-1": not a whole number`,
		"name,params\na,1.0005K\n":                          `t.csv:2: params: "1.0005K": not a whole number`,
		"name,params\na,10000000T\n":                        `t.csv:2: params: "10000000T": not a whole number`,
		"name,params\na,2000T\n":                            `t.csv:2: params`,
		"name,count,params\na,0,1\n":                        `t.csv:2: count: "0": out of range; 1 to 65536`,
		"name,count,params\na,65000,1\nb,999,1\n":           `t.csv:3: 65999 layers up to here; at most 65536`,
		"name,params\na,0\n":                                `t.csv:2: a layer that has no parameters and takes no time`,
		"name,forward\na,3 parsecs\n":                       `t.csv:2: forward: "3 parsecs"`,
		"name,experts,expert_params\na,8,5\n":               `t.csv:2: top_k: "0": no position goes to any of the experts; 1 to 8`,
		"name,experts,top_k\na,8,9\n":                       `t.csv:2: top_k: "9": out of range; 0 to 8`,
		"name,expert_params\na,9\n":                         `t.csv:2: experts: "0": what they have is given; at least 1`,
		"name,experts,top_k,forward_all_reduces\na,8,2,3\n": `t.csv:2: forward_all_reduces: "3"`,
	} {
		if _, err := model.Read("t.csv", 1, strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q is read with %v, want %s…", text, err, want)
		}
	}
}

func TestASliceHasFewerOfTheLayersThatAreAlike(t *testing.T) {
	gpt := model.Named("gpt3-175b")
	m, slice, err := gpt.Slice(8)
	if err != nil || m.Depth() != 8 || gpt.Depth() != 98 {
		t.Fatalf("8 of 96 layers are %v, %v", m, err)
	}
	if want := "8 of 96 layers that are alike, without the others: all of them take 12 times as long"; slice.String() != want {
		t.Errorf("%q, want %q", slice, want)
	}
	if _, all, err := gpt.Slice(0); err != nil || all.String() != "all layers" {
		t.Errorf("all layers: %v, %v", all, err)
	}
	if _, _, err := gpt.Slice(97); err == nil || !strings.Contains(err.Error(), "0 to 96") {
		t.Errorf("97 layers are %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("name,count,params,flops,output\na,2,1.5M,2G,10\n")
	f.Add("# c\nname,experts,top_k,expert_params,expert_flops\nb,8,2,1K,2K\n")
	f.Add("name,forward,backward\nc,1ms,2.5ms\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := model.Read("f.csv", 1, strings.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.csv:") {
				t.Errorf("%v does not begin with the file", err)
			}
			return
		}
		if m.Depth() < 1 || m.Depth() > model.MaxLayers || m.Params() < 0 || m.FLOPs() < 0 {
			t.Errorf("%d layers, %d parameters, %d FLOPs", m.Depth(), m.Params(), m.FLOPs())
		}
		for _, l := range m.Layers {
			if l.Forward < 0 || l.Backward > model.MaxTime || l.Forward == units.Never {
				t.Errorf("%+v takes no time that can be", l)
			}
		}
	})
}
