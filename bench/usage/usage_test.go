package usage

import (
	"runtime"
	"testing"
	"time"

	"github.com/rdmasim/rdmasim/sim/units"
)

func TestProcessorTimeIsThatOfWorkAndNotOfSleep(t *testing.T) {
	before, known := CPU()
	if !known {
		skipUnlessLinux(t, "this operating system does not tell")
	}
	const nap = 100 * time.Millisecond
	time.Sleep(nap)
	asleep, _ := CPU()
	if asleep-before >= nap {
		t.Errorf("%v of processor time in a nap of %v", asleep-before, nap)
	}
	for range 1_000_000_000 {
		if now, _ := CPU(); now > asleep+time.Millisecond {
			return
		}
	}
	t.Error("processor time does not grow with work")
}

func TestThePeakRemembersMemoryThatIsGivenBack(t *testing.T) {
	before, known := Peak()
	if !known {
		skipUnlessLinux(t, "this operating system does not tell")
	}
	const size = 64 * units.MiB
	memory := make([]byte, size)
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = 1
	}
	runtime.KeepAlive(memory)
	memory = nil
	runtime.GC()
	if after, _ := Peak(); after < before+size*9/10 {
		t.Errorf("peak %v, and %v after %v were in use", before.Human(), after.Human(), size)
	}
}

// skipUnlessLinux skips a test, but not where it has to run: Linux tells.
func skipUnlessLinux(t *testing.T, why string) {
	t.Helper()
	if runtime.GOOS == "linux" {
		t.Fatal(why)
	}
	t.Skip(why)
}
