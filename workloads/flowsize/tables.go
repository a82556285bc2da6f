package flowsize

// Table is a distribution that has a name.
type Table struct {
	Name, Doc string
	*CDF
}

// Tables lists the distributions, as the traffic generators of HPCC and ConWeave have them. WebSearch goes back to
// Alizadeh et al., "Data Center TCP" (SIGCOMM 2010); FB_Hadoop to Roy et al., "Inside the Social Network's (Datacenter)
// Network" (SIGCOMM 2015).
var Tables = []Table{
	{"websearch", "queries and updates of web search", mustNew(webSearch)},
	{"fb-hadoop", "a Hadoop cluster at Facebook", mustNew(fbHadoop)},
	{"alistorage2019", "block storage at Alibaba", mustNew(aliStorage2019)},
	{"solar2022", "storage at Alibaba over Solar", mustNew(solar2022)},
	{"google-rpc2008", "remote procedure calls at Google", mustNew(googleRPC2008)},
}

// Find returns the distribution of a name, or nil.
func Find(name string) *CDF {
	for _, t := range Tables {
		if t.Name == name {
			return t.CDF
		}
	}
	return nil
}

func mustNew(points []Point) *CDF {
	c, err := New(points)
	if err != nil {
		panic(err) // a misprint in a table
	}
	return c
}

var (
	webSearch = []Point{
		{0, 0}, {10_000, 15}, {20_000, 20}, {30_000, 30}, {50_000, 40}, {80_000, 53}, {200_000, 60}, {1_000_000, 70},
		{2_000_000, 80}, {5_000_000, 90}, {10_000_000, 97}, {30_000_000, 100},
	}
	fbHadoop = []Point{
		{0, 0}, {100, 1}, {200, 2}, {300, 5}, {350, 15}, {400, 20}, {500, 30}, {600, 40}, {700, 50}, {1000, 60}, {2000, 67},
		{7000, 70}, {30_000, 72}, {50_000, 82}, {80_000, 87}, {120_000, 90}, {300_000, 95}, {1_000_000, 97.5},
		{2_000_000, 99}, {10_000_000, 100},
	}
	aliStorage2019 = []Point{
		{0, 0}, {4000, 22.93}, {8000, 69.21}, {16_000, 80.61}, {32_000, 90.47}, {64_000, 93.53}, {128_000, 96.77},
		{256_000, 97.53}, {2_000_000, 100},
	}
	solar2022 = []Point{
		{0, 0}, {4095, .001}, {4096, 30}, {16_383, 35}, {16_384, 50}, {65_535, 60}, {65_536, 95}, {262_144, 100},
	}
	// Every so many of the 843 points of the original, whose mean is 2,891.6 bytes.
	googleRPC2008 = []Point{
		{3, 6.488}, {32, 9.732}, {64, 15.527}, {128, 35.157}, {256, 49.790}, {512, 78.492}, {1024, 86.320}, {2048, 90.886},
		{4096, 93.496}, {8192, 96.431}, {16_384, 98.469}, {32_768, 99.040}, {65_536, 99.326}, {131_072, 99.713},
		{262_144, 99.845}, {524_288, 99.950}, {1_008_790, 99.975}, {2_034_108, 99.988}, {4_135_977, 99.995},
		{8_231_141, 99.9985}, {15_158_197, 100},
	}
)
