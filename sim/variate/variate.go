package variate

// Source is a stream of 64 uniformly random bits each.
type Source interface{ Uint64() uint64 }

// Uniform returns a number between 0 and 1, both excluded: an odd multiple of 2^-53.
func Uniform(s Source) float64 { return (float64(s.Uint64()>>12) + 0.5) / (1 << 52) }

// survives is true with a probability of e^-a, for a from 0 up.
func survives(s Source, a float64) bool {
	for ; a > 1; a-- {
		if !survives(s, 1) {
			return false
		}
	}
	even := true
	for u := Uniform(s); u < a; u = Uniform(s) {
		a, even = u, !even
	}
	return even
}

// Exponential returns a number of 0 or more with a density of e^-x; its mean is 1. The whole part survives one step after
// the other, the fraction is drawn until it survives itself.
func Exponential(s Source) float64 {
	whole := 0.0
	for survives(s, 1) {
		whole++
	}
	fraction := Uniform(s)
	for !survives(s, fraction) {
		fraction = Uniform(s)
	}
	return whole + fraction
}

// Normal returns a number of the standard normal distribution: its mean is 0 and its variance 1.
func Normal(s Source) float64 {
	for {
		whole := 0.0
		for survives(s, 0.5) {
			whole++
		}
		if !survives(s, whole*(whole-1)/2) {
			continue
		}
		fraction := Uniform(s)
		if !survives(s, fraction*(whole+whole+fraction)/2) {
			continue
		}
		if s.Uint64()>>63 == 0 {
			return whole + fraction
		}
		return -(whole + fraction)
	}
}

// LogNormal returns e^(sigma·z - sigma²/2), z being standard normal: a positive number with a mean of 1 and a variance of
// e^sigma² - 1. Sigma is 0 or more; above 5, almost all of the mean lies in values that are hardly ever drawn.
func LogNormal(s Source, sigma float64) float64 {
	return Exp(float64(sigma*Normal(s)) - float64(sigma*sigma)/2)
}
