package results

// Loss is frames of one kind that did not come over a link, for one reason.
type Loss struct {
	Reason string `json:"reason" doc:"why"`
	Frame  string `json:"frame" doc:"what they were: data, ack, nak, cnp, pfc-pause, pfc-resume or credit (flow control of InfiniBand)"`
	Frames int64  `json:"frames" doc:"how many"`
	Bytes  int64  `json:"l2_bytes" doc:"their L2 bytes"`
}
