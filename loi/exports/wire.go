package exports

import "google.golang.org/protobuf/encoding/protowire"

// The fields of Perfetto's messages that are written, from protos/perfetto/trace in its repository.
// "iid" numbers a string of interned_data, from 1, one numbering for each field there.
const (
	tracePacket protowire.Number = 1 // Trace.packet

	packetTimestamp       protowire.Number = 8  // TracePacket
	packetSequence        protowire.Number = 10 // trusted_packet_sequence_id
	packetEvent           protowire.Number = 11
	packetInterned        protowire.Number = 12
	packetFlags           protowire.Number = 13
	packetTrack           protowire.Number = 60
	packetFirstOfSequence protowire.Number = 87

	internedEventNames      protowire.Number = 2 // InternedData
	internedAnnotationNames protowire.Number = 3
	internedStrings         protowire.Number = 29 // debug_annotation_string_values
	internedID              protowire.Number = 1  // EventName, DebugAnnotationName, InternedString
	internedText            protowire.Number = 2

	trackUUID    protowire.Number = 1 // TrackDescriptor
	trackName    protowire.Number = 2
	trackProcess protowire.Number = 3
	trackThread  protowire.Number = 4
	trackParent  protowire.Number = 5
	trackCounter protowire.Number = 8

	processPID  protowire.Number = 1 // ProcessDescriptor
	processSort protowire.Number = 3
	processName protowire.Number = 6

	threadPID  protowire.Number = 1 // ThreadDescriptor
	threadTID  protowire.Number = 2
	threadSort protowire.Number = 3
	threadName protowire.Number = 5

	counterUnit protowire.Number = 3 // CounterDescriptor

	eventAnnotations protowire.Number = 4 // TrackEvent
	eventType        protowire.Number = 9
	eventNameID      protowire.Number = 10
	eventTrack       protowire.Number = 11
	eventName        protowire.Number = 23
	eventCounter     protowire.Number = 30
	eventFlows       protowire.Number = 47 // fixed64
	eventLastFlows   protowire.Number = 48 // terminating_flow_ids, fixed64

	annotationNameID   protowire.Number = 1 // DebugAnnotation
	annotationBool     protowire.Number = 2
	annotationUint     protowire.Number = 3
	annotationString   protowire.Number = 6
	annotationName     protowire.Number = 10
	annotationDict     protowire.Number = 11
	annotationArray    protowire.Number = 12
	annotationStringID protowire.Number = 17
)

// Values of TrackEvent.Type, TracePacket.SequenceFlags and CounterDescriptor.Unit.
const (
	sliceBegin = 1
	sliceEnd   = 2
	instant    = 3
	counter    = 4

	stateCleared = 1
	needsState   = 2

	unitCount = 2
)

// A message is protobuf's wire format under construction.
type message struct{ b []byte }

func (m *message) uint(field protowire.Number, v uint64) {
	m.b = protowire.AppendVarint(protowire.AppendTag(m.b, field, protowire.VarintType), v)
}

func (m *message) fixed(field protowire.Number, v uint64) {
	m.b = protowire.AppendFixed64(protowire.AppendTag(m.b, field, protowire.Fixed64Type), v)
}

func (m *message) text(field protowire.Number, s string) {
	m.b = protowire.AppendString(protowire.AppendTag(m.b, field, protowire.BytesType), s)
}

// open begins a message within m, for close.
func (m *message) open(field protowire.Number) int {
	m.b = append(protowire.AppendTag(m.b, field, protowire.BytesType), 0)
	return len(m.b)
}

// close ends the message that open returned: its length goes before it, for which it moves if that
// takes more than one byte.
func (m *message) close(at int) {
	n := len(m.b) - at
	if n < 1<<7 {
		m.b[at-1] = byte(n)
		return
	}
	more := protowire.SizeVarint(uint64(n)) - 1
	for range more {
		m.b = append(m.b, 0)
	}
	copy(m.b[at+more:], m.b[at:at+n])
	protowire.AppendVarint(m.b[:at-1], uint64(n))
}
