import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

/// Every status of every check.
@Suite(.temporaryDirectory) struct DoctorCheckTests {
  /// A machine that is as it should be but for one thing, and what doctor says of it.
  struct Case: CustomTestStringConvertible, Sendable {
    let id: String
    let status: Capability.Status
    let finding: String
    let remedy: String?
    let trials: HostTrials
    let record: LabRecord
    let change: @Sendable (MachineTree) throws -> Void

    var testDescription: String { "\(id) \(status): \(finding)" }

    init(
      _ id: String,
      _ status: Capability.Status,
      _ finding: String,
      remedy: String? = nil,
      trials: HostTrials = .allowed,
      record: LabRecord = LabRecord(),
      _ change: @escaping @Sendable (MachineTree) throws -> Void = { _ in }
    ) {
      self.id = id
      self.status = status
      self.finding = finding
      self.remedy = remedy
      self.trials = trials
      self.record = record
      self.change = change
    }
  }

  static let cases = rights + collectors + watching + processors + memory + surroundings

  @Test(arguments: cases) func `says what it finds and what mends it`(_ test: Case) throws {
    let machine = try MachineTree()
    try machine.pleaseDoctor()
    try test.change(machine)
    let found = try machine.capability(test.id, trials: test.trials, record: test.record)
    #expect(found.status == test.status)
    #expect(found.finding.contains(test.finding), "\(found.finding)")
    #expect((found.remedy == nil) == (found.status == .ok))
    if let remedy = test.remedy {
      #expect(found.remedy?.contains(remedy) == true, "\(found.remedy ?? "none")")
    }
  }

  @Test(arguments: Doctor.ids) func `has a case for good and for ill`(id: String) {
    let statuses = Set(Self.cases.filter { $0.id == id }.map(\.status))
    #expect(statuses.contains(.ok))
    #expect(statuses.count > 1)
  }

  @Test func `speaks in sentences without a full stop`() throws {
    let machine = try MachineTree()
    for trials in [HostTrials.allowed, .refused] {
      let host = HostExamination(tree: machine.tree, trials: trials, record: LabRecord())
      for found in Doctor(host).capabilities() {
        #expect(!found.finding.hasSuffix("."), "\(found.id)")
        #expect(found.remedy?.hasSuffix(".") != true, "\(found.id)")
      }
    }
  }

  @Test func `explains every id in the document, in the same order`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../docs/doctor.md")
    let document = try String(contentsOf: file, encoding: .utf8)
    let explained = document.matches(of: /(?m)^\| `([a-z-]+)`/).map { String($0.1) }
    #expect(explained == Doctor.ids)
  }

  @Test func `names every capability once`() {
    #expect(Set(Doctor.ids).count == Doctor.ids.count)
    #expect(Doctor.ids.allSatisfy { $0.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil })
  }
}
