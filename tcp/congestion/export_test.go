package congestion

// CubeRoot is the cube root that CUBIC takes.
func CubeRoot(x float64) float64 { return cubeRoot(x) }

// BBRPhase is the phase of BBR's cycle of gains.
func BBRPhase(c Control) int { return c.(*bbr).cycle }
