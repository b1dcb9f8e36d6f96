import LabModel

/// One thing that doctor looks at.
struct DoctorCheck: Sendable {
  /// A stable name in kebab case.
  let id: String

  let title: String

  let find: @Sendable (HostExamination) -> Finding

  init(
    _ id: String,
    _ title: String,
    find: @escaping @Sendable (HostExamination) -> Finding
  ) {
    self.id = id
    self.title = title
    self.find = find
  }

  /// What came out of a check; findings and remedies are sentences without a full stop.
  enum Finding: Sendable {
    case ok(String)
    case degraded(String, remedy: String)
    case missing(String, remedy: String)
  }

  func capability(of host: HostExamination) -> Capability {
    switch find(host) {
    case .ok(let finding):
      Capability(id: id, title: title, status: .ok, finding: finding)
    case .degraded(let finding, let remedy):
      Capability(id: id, title: title, status: .degraded, finding: finding, remedy: remedy)
    case .missing(let finding, let remedy):
      Capability(id: id, title: title, status: .missing, finding: finding, remedy: remedy)
    }
  }
}
