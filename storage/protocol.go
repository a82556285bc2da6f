package storage

import "github.com/rdmasim/rdmasim/sim/units"

// Protocol says which messages a read and a write are made of, by their sizes. Of what is an array the first is that of reads
// and the second that of writes.
//
// Over a stream a command is followed by its answer. What is read stands before the answer, each piece under a header
// of its own, or in it; what is to be written stands in the command if it is short, and else, as the target asks for
// it, under headers too. By RDMA the target writes what is read into the memory of who reads, and
// reads what is to be written from there.
type Protocol struct {
	Name, Doc string
	// Open and Opened open a session over a stream; 0 if nothing does.
	Open, Opened units.Bytes
	// Command and Answer are those over a stream, without data. Ask is what asks for data, 0 where that always goes with its
	// command; In and Out are the headers of data that is read and written, 0 where data is part of the message.
	Command, Answer [2]units.Bytes
	Ask, In, Out    units.Bytes
	// Pieces is the most data under one header, of what is read and what is written; 0 for all in one. Options may say otherwise.
	Pieces [2]units.Bytes
	// Collapsed tells that a read has no answer over a stream, as usual: its last data says that all went well.
	Collapsed bool
	// ByRDMA are the command and the answer by RDMA.
	ByRDMA [2][2]units.Bytes
}

// Sizes by the standards.
const (
	// NVMe Base Specification 2.0: entries of queues. NVMe over TCP transport specification: the common header, ICReq
	// and ICResp, R2T, and the headers of H2CData and C2HData.
	submission, completion units.Bytes = 64, 16
	commonHeader           units.Bytes = 8
	initialise             units.Bytes = 128
	readyToTransfer        units.Bytes = 24
	dataUnit               units.Bytes = 24
	// RFC 7143: every header of iSCSI; RFC 7145: that of iSER before it. Login is two headers with keys; these are assumed to be
	// as long as open-iscsi's.
	basicHeader  units.Bytes = 48
	iserHeader   units.Bytes = 28
	loginRequest units.Bytes = basicHeader + 384
	loginAnswer  units.Bytes = basicHeader + 320
	// RFC 5531 and RFC 1813: record mark; head of a call; AUTH_SYS of a machine with a name of 8 letters and of one group;
	// no verifier; a file handle of 28 bytes. Then offset and count of READ, with stable and the length of the data of WRITE.
	recordMark units.Bytes = 4
	call       units.Bytes = 24 + 36 + 8 + 32
	readCall   units.Bytes = call + 12
	writeCall  units.Bytes = call + 20
	// Head of a reply, status; then attributes, count, end of file and the length of the data, or attributes from before and
	// after, count, committed and the verifier.
	reply      units.Bytes = 24 + 4
	readReply  units.Bytes = reply + 88 + 12
	writeReply units.Bytes = reply + 28 + 88 + 16
	// RFC 8166: header of RPC over RDMA with three empty lists, and what a chunk adds to it.
	rpcRDMA units.Bytes = 28
	chunk   units.Bytes = 24
	// Ceph, messenger 2.1 in mode crc: preamble 32, header of a message 41, epilogue 13; the front of an operation and
	// of its reply are assumed.
	frame     units.Bytes = 32 + 41 + 13
	operation units.Bytes = frame + 230
	done      units.Bytes = frame + 130
)

// Protocols lists all of them. A new one is one entry here.
var Protocols = []Protocol{
	{
		Name: "nvmeof", Doc: "NVMe over Fabrics: NVMe over TCP, or over RDMA", Open: initialise, Opened: initialise,
		Command: [2]units.Bytes{commonHeader + submission, commonHeader + submission}, Answer: [2]units.Bytes{commonHeader + completion, commonHeader + completion},
		Ask: readyToTransfer, In: dataUnit, Out: dataUnit, Pieces: [2]units.Bytes{0, 128 * units.KiB},
		ByRDMA: [2][2]units.Bytes{{submission, submission}, {completion, completion}},
	},
	{
		Name: "iscsi", Doc: "iSCSI over TCP, and iSER over RDMA", Open: loginRequest, Opened: loginAnswer,
		Command: [2]units.Bytes{basicHeader, basicHeader}, Answer: [2]units.Bytes{basicHeader, basicHeader},
		Ask: basicHeader, In: basicHeader, Out: basicHeader, Pieces: [2]units.Bytes{256 * units.KiB, 256 * units.KiB}, Collapsed: true,
		ByRDMA: [2][2]units.Bytes{{iserHeader + basicHeader, iserHeader + basicHeader}, {iserHeader + basicHeader, iserHeader + basicHeader}},
	},
	{
		Name: "nfs", Doc: "NFS version 3 over TCP, and over RPC over RDMA",
		Command: [2]units.Bytes{recordMark + readCall, recordMark + writeCall}, Answer: [2]units.Bytes{recordMark + readReply, recordMark + writeReply},
		ByRDMA: [2][2]units.Bytes{{rpcRDMA + chunk + readCall, rpcRDMA + chunk + writeCall}, {rpcRDMA + chunk + readReply, rpcRDMA + writeReply}},
	},
	{
		Name: "rados", Doc: "as Ceph's messenger: data always goes with its operation over TCP",
		Command: [2]units.Bytes{operation, operation}, Answer: [2]units.Bytes{done, done},
		ByRDMA: [2][2]units.Bytes{{operation, operation}, {done, done}},
	},
}

// Named is the protocol of a name; nil if there is none.
func Named(name string) *Protocol {
	for _, p := range Protocols {
		if p.Name == name {
			return &p
		}
	}
	return nil
}

// Digest is what a digest adds to a header or to data (CRC32C).
const Digest units.Bytes = 4

// Framing is a protocol over a stream as two ends have agreed on it.
type Framing struct {
	*Protocol
	HeaderDigest, DataDigest bool
	// Collapsed, as in the protocol, and Pieces likewise.
	Collapsed bool
	Pieces    [2]units.Bytes
}

// header is the length of one, with its digest; 0 of one that there is not.
func (f *Framing) header(size units.Bytes) units.Bytes {
	if f.HeaderDigest && size > 0 {
		size += Digest
	}
	return size
}

// withData adds what data after a header takes.
func (f *Framing) withData(size, data units.Bytes) units.Bytes {
	if size += data; f.DataDigest && data > 0 {
		size += Digest
	}
	return size
}

// CommandSize is the length of a command that has so much data in it.
func (f *Framing) CommandSize(write bool, data units.Bytes) units.Bytes {
	return f.withData(f.header(f.Command[index(write)]), data)
}

// AnswerSize is the length of an answer; 0 of one that is not sent.
func (f *Framing) AnswerSize(write bool) units.Bytes {
	if !write && f.Collapsed {
		return 0
	}
	return f.header(f.Answer[index(write)])
}

// AskSize is the length of what asks for data.
func (f *Framing) AskSize() units.Bytes { return f.header(f.Ask) }

// DataSize is the length of data that is read or written, with the headers of its pieces, and how many of these there are: none
// where it is part of another message.
func (f *Framing) DataSize(write bool, data units.Bytes) (size units.Bytes, pieces int) {
	header := f.In
	if write {
		header = f.Out
	}
	if header == 0 {
		return f.withData(0, data), 0
	}
	most := f.Pieces[index(write)]
	if most <= 0 {
		most = max(1, data)
	}
	n := max(1, (data+most-1)/most)
	each := f.header(header)
	if f.DataDigest {
		each += Digest
	}
	return data + n*each, int(n)
}

func index(write bool) int {
	if write {
		return 1
	}
	return 0
}
