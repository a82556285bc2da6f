package results

// Bound is something that bounds flows, and the share of their lives in which it did.
type Bound struct {
	Name  string  `json:"name" doc:"what bounds: link, pause, receiver, pacing, window, network, round_trip, recovery, host or queue_pair, as in flows.csv"`
	Time  Micros  `json:"time_us" doc:"time in which it did, summed over flows"`
	Share float64 `json:"share" doc:"that time as a share of the lives of all flows"`
}

// PauseRoot is what pauses trace back to.
type PauseRoot struct {
	Port        string   `json:"port" doc:"the port at the root, and where it leads: what it could not send is why others had to wait"`
	Kind        string   `json:"kind" doc:"link: the port sends as fast as its link allows; host: the host behind it asked for the pause; unknown: the switch behind it did, for a reason that was not noted"`
	Priority    int      `json:"priority" doc:"priority that was paused"`
	Pauses      int64    `json:"pauses" doc:"pauses that trace back to it"`
	Time        Micros   `json:"time_us" doc:"time for which these pauses were asked for, summed over ports"`
	Ports       int      `json:"ports" doc:"ports that were paused on its account"`
	Depth       int      `json:"depth" doc:"links between the farthest of them and the root"`
	Flows       int      `json:"flows" doc:"flows of that priority through the port"`
	Victims     int      `json:"victims" doc:"flows that do not use the port, were held by such a pause and took more than 1.1 times as long as alone"`
	VictimNames []string `json:"victim_names" doc:"the victims held longest, at most eight"`
}
