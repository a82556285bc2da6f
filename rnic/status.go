package rnic

// Status is the completion status of a work request, with the values and names
// of the verbs interface (ibv_wc_status).
type Status uint8

// Completion statuses.
const (
	Success          Status = 0
	LocalLength      Status = 1  // a message longer than the receive buffer, or than the port or path allows
	LocalOperation   Status = 2  // a request that the queue pair cannot carry out
	LocalProtection  Status = 4  // a local buffer that is not registered for it
	FlushError       Status = 5  // the queue pair had failed before
	RemoteInvalid    Status = 9  // NAK 0x61
	RemoteAccess     Status = 10 // NAK 0x62
	RemoteOperation  Status = 11 // NAK 0x63
	RetryExceeded    Status = 12 // too many rounds of retransmission without progress
	RNRRetryExceeded Status = 13 // the receiver was not ready too often
	// ConnectionTimedOut is no status of verbs: a connection of TCP gave up (ETIMEDOUT) or was
	// reset.
	ConnectionTimedOut Status = 110
)

// String is the name of the verbs interface without its prefix.
func (s Status) String() string {
	switch s {
	case Success:
		return "SUCCESS"
	case LocalLength:
		return "LOC_LEN_ERR"
	case LocalOperation:
		return "LOC_QP_OP_ERR"
	case LocalProtection:
		return "LOC_PROT_ERR"
	case FlushError:
		return "WR_FLUSH_ERR"
	case RemoteInvalid:
		return "REM_INV_REQ_ERR"
	case RemoteAccess:
		return "REM_ACCESS_ERR"
	case RemoteOperation:
		return "REM_OP_ERR"
	case RetryExceeded:
		return "RETRY_EXC_ERR"
	case RNRRetryExceeded:
		return "RNR_RETRY_EXC_ERR"
	case ConnectionTimedOut:
		return "ETIMEDOUT"
	}
	return "UNKNOWN"
}
