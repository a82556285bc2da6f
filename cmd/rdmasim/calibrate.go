package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/rdmasim/rdmasim/calibrate"
	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/spf13/cobra"
)

// calibrateFlags are the flags of calibrate.
type calibrateFlags struct {
	profile, out, rate, latency string
	sets                        []string
}

func newCalibrate() *cobra.Command {
	var f calibrateFlags
	c := &cobra.Command{
		Use:   "calibrate FILE…",
		Short: "Fit the figures of an adapter to what perftest has printed",
		Long: `calibrate reads what tests of the perftest suite have printed between two hosts on
one switch, looks for the figures of the adapter with which simulated tests give
every other row, foretells the rows between them, and writes the adapter as YAML.

Tests of latency tell of posting, doorbell and pipelines, small messages of the
message rate, and messages that fill the bus of PCIe. FILE is the whole output,
titles included, of ib_write_lat, ib_send_lat, ib_read_lat, ib_write_bw,
ib_send_bw or ib_read_bw; several may stand in one file.`,
		Example: `  ib_write_bw -a --report_gbits server | tee bw.txt
  rdmasim calibrate bw.txt lat.txt --profile connectx6 --out nic.yaml
  rdmasim calibrate bw.txt --rate 100Gbps --set host.nic.pcie.width=8`,
		Args: usage(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	c.Flags().StringVar(&f.profile, "profile", "connectx6", "profile of host.nic to start from")
	c.Flags().StringVarP(&f.out, "out", "o", "", "file for the adapter as YAML; none if not given")
	c.Flags().StringVar(&f.rate, "rate", "", "rate of the links, such as 100Gbps (default: the least usual one that the tables fit into)")
	c.Flags().StringVar(&f.latency, "switch", "300ns", "latency of the switch between the hosts; 0s for a cable from host to host")
	addSet(c, &f.sets, "another key of the scenario that is simulated, as in host.nic.pcie.width=8 (repeatable)")
	return c
}

func (f *calibrateFlags) run(c *cobra.Command, files []string) error {
	setting, err := f.setting()
	if err != nil {
		return &scenarios.InputError{Err: err}
	}
	tables, err := readTables(files)
	if err == nil {
		err = setting.Complete(tables)
	}
	if err != nil {
		return &scenarios.InputError{Err: err}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	model := &calibrate.Simulator{Setting: setting, Context: ctx}
	outcome, err := calibrate.Fit(tables, model.Run)
	if err != nil {
		return &scenarios.InputError{Err: err}
	}
	if err := outcome.WriteText(c.OutOrStdout(), model); err != nil {
		return err
	}
	if f.out == "" {
		return nil
	}
	var text bytes.Buffer
	if err := outcome.WriteYAML(&text, model); err != nil {
		return err
	}
	if err := os.WriteFile(f.out, text.Bytes(), 0o666); err != nil {
		return &scenarios.InputError{Err: err}
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "The adapter is in %s, to be put under host.nic of a scenario.\n", f.out)
	return err
}

// setting is what the flags say of the machines.
func (f *calibrateFlags) setting() (s calibrate.Setting, err error) {
	s = calibrate.Setting{Profile: f.profile, Sets: f.sets}
	if f.rate != "" {
		if s.Rate, err = units.ParseRate(f.rate); err != nil {
			return s, fmt.Errorf("--rate: %w", err)
		}
	}
	if s.Switch, err = units.ParseTime(f.latency); err != nil {
		return s, fmt.Errorf("--switch: %w", err)
	}
	return s, nil
}

func readTables(files []string) (all []calibrate.Table, err error) {
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		tables, err := calibrate.Read(name, file)
		file.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, tables...)
	}
	return all, nil
}
