package record

import "strings"

// saiNames are the names that the Switch Abstraction Interface (SAI 1.x, as SONiC shows
// them in COUNTERS_DB) gives to our counters of a switch; N stands for the priority.
func saiNames() map[string]string {
	return map[string]string{
		"rx_prioN_packets":        "SAI_INGRESS_PRIORITY_GROUP_STAT_PACKETS",
		"rx_prioN_bytes":          "SAI_INGRESS_PRIORITY_GROUP_STAT_BYTES",
		"tx_prioN_packets":        "SAI_QUEUE_STAT_PACKETS",
		"tx_prioN_bytes":          "SAI_QUEUE_STAT_BYTES",
		"ecn_marked":              "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS",
		"dropped":                 "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS",
		"queue_peak":              "SAI_QUEUE_STAT_WATERMARK_BYTES",
		"pg_peak":                 "SAI_INGRESS_PRIORITY_GROUP_STAT_WATERMARK_BYTES",
		"pg_shared_peak":          "SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES",
		"pg_headroom_peak":        "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES",
		"rx_prioN_pause":          "SAI_PORT_STAT_PFC_N_RX_PKTS",
		"tx_prioN_pause":          "SAI_PORT_STAT_PFC_N_TX_PKTS",
		"rx_prioN_pause_duration": "SAI_PORT_STAT_PFC_N_RX_PAUSE_DURATION_US",
		"tx_prioN_pause_duration": "SAI_PORT_STAT_PFC_N_TX_PAUSE_DURATION_US",
		"pfc_xon_rx":              "SAI_PORT_STAT_PFC_N_ON2OFF_RX_PKTS",
		"shared_pool_peak":        "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES",
	}
}

// saiName is the name of a counter in SAI; empty if it has none.
func (c *counters) saiName(p port, priority int, name string) string {
	if p.sw == nil {
		return ""
	}
	of := counterOf{name, priority}
	sai, known := c.known[of]
	if !known {
		digit := itoa(max(priority, 0))
		sai = c.names[strings.Replace(name, "_prio"+digit, "_prioN", 1)]
		sai = strings.Replace(sai, "_N_", "_"+digit+"_", 1)
		c.known[of] = sai
	}
	return sai
}
