import LabModel

/// The objects that a program loaded, by their number.
struct LoadedObjects {
  private var objects: [UInt32: (path: String, address: UInt64)] = [:]

  init(_ events: [LaunchEvent]) {
    for event in events where event.kind == .objectOpened {
      objects[event.object] = (event.text, event.address)
    }
  }

  var count: Int { objects.count }

  /// The path of an object; nil for one whose opening was not seen.
  func path(of object: UInt32) -> String? { objects[object]?.path }

  /// The place of a function, which does not change with where its object was loaded.
  func place(of function: UInt64, in object: UInt32) -> CodePlace? {
    objects[object].map { CodePlace(file: $0.path, offset: function &- $0.address) }
  }
}
