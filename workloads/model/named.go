package model

import (
	"bytes"
	"embed"
	"fmt"
)

//go:embed tables/*.csv
var tables embed.FS

// named are the models that are shipped; the tables tell what their figures follow from.
var named = []Model{
	{Name: "resnet-50", Doc: "ResNet-50 for images of 224x224: 25.6 million parameters, 8.2 GFLOPs an image forward", Length: 1},
	{Name: "gpt2", Doc: "the smallest GPT-2: 12 blocks, 124 million parameters, sequences of 1024 tokens", Length: 1024},
	{Name: "olmoe-1b-7b", Doc: "OLMoE-1B-7B: 16 blocks of 64 experts, of which each token goes to 8; sequences of 4096 tokens", Length: 4096},
	{Name: "llama2-7b", Doc: "Llama 2 7B: 32 blocks, sequences of 4096 tokens", Length: 4096},
	{Name: "llama2-70b", Doc: "Llama 2 70B: 80 blocks, sequences of 4096 tokens", Length: 4096},
	{Name: "gpt3-175b", Doc: "GPT-3 175B: 96 blocks, sequences of 2048 tokens", Length: 2048},
	{Name: "mixtral-8x7b", Doc: "Mixtral 8x7B: 32 blocks of 8 experts, of which each token goes to 2; sequences of 4096 tokens", Length: 4096},
}

// Names are those of the models that are shipped, from the smallest on.
func Names() (names []string) {
	for _, m := range named {
		names = append(names, m.Name)
	}
	return names
}

// Named returns the shipped model of this name; nil if there is none.
func Named(name string) *Model {
	for _, m := range named {
		if m.Name != name {
			continue
		}
		path := "tables/" + name + ".csv"
		text, err := tables.ReadFile(path)
		if err == nil {
			m.Layers, err = readLayers(path, bytes.NewReader(text))
		}
		if err != nil {
			panic(fmt.Sprint("model: a table that is shipped: ", err))
		}
		return &m
	}
	return nil
}
