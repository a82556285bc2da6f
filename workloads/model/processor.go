package model

import (
	"math/bits"

	"github.com/rdmasim/rdmasim/sim/units"
)

// MaxTime is the longest time that one pass of a layer may take: a day.
const MaxTime = 24 * 3600 * units.Second

// GPU is what a kind of GPU computes at most.
type GPU struct {
	Name   string
	TFLOPS int64 // dense matrices of 16-bit numbers, 10^12 floating-point operations a second
	Source string
}

// GPUs are those that scenarios can name.
var GPUs = []GPU{
	{"v100", 125, "NVIDIA V100 data sheet: 125 TFLOPS of its tensor cores"},
	{"a100", 312, "NVIDIA A100 data sheet: 312 TFLOPS in bfloat16 without sparsity"},
	{"h100", 989, "NVIDIA H100 SXM data sheet: 989 TFLOPS in bfloat16 without sparsity"},
	{"b200", 2250, "NVIDIA B200 data sheet: 2.25 PFLOPS in bfloat16 without sparsity"},
}

// Processor is what a rank computes with.
type Processor struct {
	TFLOPS     int64       // at most, 10^12 floating-point operations a second; at least 1
	Efficiency units.Ratio // of that, which is reached; more than 0
	// Backward is how many times as long as the forward pass the backward pass takes; 2 as it computes the gradients of both
	// inputs and parameters, 3 if it computes the forward pass again.
	Backward units.Ratio
}

// time is what so many operations for each of so many positions take.
func (p *Processor) time(flops, positions int64) units.Time {
	// flops·positions / (TFLOPS·10^12·efficiency) seconds are flops·positions·den / (TFLOPS·num) picoseconds.
	high, low := bits.Mul64(uint64(flops), uint64(positions))
	return scaled(high, low, uint64(p.Efficiency.Den), uint64(p.TFLOPS)*uint64(p.Efficiency.Num))
}

// scale is a time by a ratio.
func scale(t units.Time, by units.Ratio) units.Time {
	return scaled(0, uint64(t), uint64(by.Num), uint64(by.Den))
}

// scaled is a number of 128 bits times one by another, at most MaxTime.
func scaled(high, low, times, by uint64) units.Time {
	carry, low := bits.Mul64(low, times)
	over, high := bits.Mul64(high, times)
	high, more := bits.Add64(high, carry, 0)
	if over+more > 0 || by == 0 || high >= by {
		return MaxTime
	}
	t, _ := bits.Div64(high, low, by)
	return units.Time(min(t, uint64(MaxTime)))
}
