package scenarios

import (
	"testing"

	"github.com/rdmasim/rdmasim/host/kernel"
	"github.com/rdmasim/rdmasim/tcp"
)

// What a scenario has that says nothing is what the packages have that know no scenarios.
func TestTCPAndKernelsHaveOneSetOfDefaults(t *testing.T) {
	for _, profile := range []string{"linux", "busy-poll", "bypass", "ideal"} {
		s, err := Parse("plain.yaml", []byte("name: plain\ntopology: star\nhost: {transport: tcp, kernel: {profile: "+profile+"}}\nworkloads: [{kind: all-to-all, size: 1KB}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		if want := tcp.Defaults(); s.Host.TCP.Config != want {
			t.Errorf("TCP is\n%+v, want\n%+v", s.Host.TCP.Config, want)
		}
		if want := kernel.New(profile); s.Host.Kernel != *want {
			t.Errorf("the kernel %s is\n%+v, want\n%+v", profile, s.Host.Kernel, *want)
		}
	}
}
