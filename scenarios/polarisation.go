package scenarios

import (
	"fmt"

	"github.com/rdmasim/rdmasim/host"
)

// polarisation warns of switches that hash alike where flows choose among ways more than once.
func (s *Spec) polarisation(c *host.Cluster) []string {
	if s.Switch.ECMPSalt != sharedSalt {
		return nil
	}
	later := c.LaterChoices()
	if later.Flows == 0 {
		return nil
	}
	problem := fmt.Sprintf("switches hash alike, and %d flows choose a way more than once: after their first choice they take %d of %d links, "+
		"the others stay idle (polarisation)", later.Flows, later.Taken, later.Links)
	return []string{s.Problem("switch.ecmp_salt", problem, "own, unless that is what you want to see").Error()}
}
