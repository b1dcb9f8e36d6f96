import LabTestSupport
import Testing

/// Tests of the built executable, one after the other, since they measure and kill on one machine.
@Suite(.serialized, .temporaryDirectory) enum EndToEnd {}
