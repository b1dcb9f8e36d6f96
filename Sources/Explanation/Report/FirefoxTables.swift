import LaunchCore
import Rendering

/// The categories of stacks and markers: what the time is spent on.
enum FirefoxCategory {
  /// The number of a state; nil is what no other category is.
  static func number(of state: StateBars.State?) -> Int64 {
    Int64(state.flatMap { StateBars.State.allCases.firstIndex(of: $0) }.map { $0 + 1 } ?? 0)
  }

  static var values: [JSONValue] {
    [category("other", "grey")] + StateBars.State.allCases.map { category($0.rawValue, color($0)) }
  }

  private static func category(_ name: String, _ color: String) -> JSONValue {
    ["name": .string(name), "color": .string(color), "subcategories": ["Other"]]
  }

  private static func color(_ state: StateBars.State) -> String {
    switch state {
    case .own: "blue"
    case .call: "orange"
    case .wait: "yellow"
    case .fault: "purple"
    case .disk: "magenta"
    case .queue: "red"
    case .lab: "transparent"
    }
  }
}

/// The tables that all threads of a profile share, each row once.
struct FirefoxTables {
  private var strings = UniqueRows<String>()
  private var functions = UniqueRows<Function>()
  private var frames = UniqueRows<Frame>()
  private var stacks = UniqueRows<Stack>()
  private var files = UniqueRows<Int64>()

  private struct Function: Hashable {
    var name: Int64

    /// The number of its file, or -1.
    var file: Int64
  }

  private struct Frame: Hashable {
    var function: Int64
    var category: Int64
  }

  private struct Stack: Hashable {
    /// Nil for the outermost.
    var prefix: Int64?
    var frame: Int64
  }

  mutating func string(_ text: String) -> Int64 { strings.number(of: text) }

  /// The number of a stack of frames without files, the outermost first; -1 for an empty one.
  mutating func stack(_ frames: [(name: String, state: StateBars.State?)]) -> Int64 {
    stack(frames.map { ($0.name, $0.state, "") })
  }

  /// The number of a stack, the outermost first; -1 for an empty one.
  mutating func stack(_ frames: [(name: String, state: StateBars.State?, file: String)]) -> Int64 {
    var stack: Int64?
    for frame in frames {
      let file = frame.file.isEmpty ? -1 : files.number(of: string(frame.file))
      let function = functions.number(of: Function(name: string(frame.name), file: file))
      let category = FirefoxCategory.number(of: frame.state)
      let number = self.frames.number(of: Frame(function: function, category: category))
      stack = stacks.number(of: Stack(prefix: stack, frame: number))
    }
    return stack ?? -1
  }

  var value: JSONValue {
    let functions = functions.rows
    let frames = frames.rows
    let stacks = stacks.rows
    return [
      "stringArray": .array(strings.rows.map(JSONValue.string)),
      "stackTable": [
        "frame": .integers(stacks.map(\.frame)),
        "prefix": .array(stacks.map { JSONValue($0.prefix) }),
        "length": JSONValue(stacks.count),
      ],
      "frameTable": [
        "address": .integers(frames.map { _ in -1 }),
        "inlineDepth": .integers(frames.map { _ in 0 }),
        "category": .integers(frames.map(\.category)),
        "subcategory": .integers(frames.map { _ in 0 }),
        "func": .integers(frames.map(\.function)),
        "nativeSymbol": .array(frames.map { _ in .null }),
        "innerWindowID": .array(frames.map { _ in .null }),
        "line": .array(frames.map { _ in .null }),
        "column": .array(frames.map { _ in .null }),
        "length": JSONValue(frames.count),
      ],
      "funcTable": [
        "name": .integers(functions.map(\.name)),
        "isJS": .array(functions.map { _ in .bool(false) }),
        "relevantForJS": .array(functions.map { _ in .bool(false) }),
        "resource": .integers(functions.map(\.file)),
        "source": .array(functions.map { _ in .null }),
        "lineNumber": .array(functions.map { _ in .null }),
        "columnNumber": .array(functions.map { _ in .null }),
        "length": JSONValue(functions.count),
      ],
      "resourceTable": [
        "lib": .array(files.rows.map { _ in .null }),
        "name": .integers(files.rows),
        "host": .array(files.rows.map { _ in .null }),
        // A library.
        "type": .integers(files.rows.map { _ in 1 }),
        "length": JSONValue(files.rows.count),
      ],
      "nativeSymbols": [
        "libIndex": [], "address": [], "name": [], "functionSize": [], "length": .integer(0),
      ],
      "sources": ["length": .integer(0), "uuid": [], "filename": []],
    ]
  }
}

/// The rows of a table, each once.
private struct UniqueRows<Row: Hashable> {
  private(set) var rows: [Row] = []
  private var numbers: [Row: Int64] = [:]

  mutating func number(of row: Row) -> Int64 {
    if let number = numbers[row] { return number }
    let number = Int64(rows.count)
    numbers[row] = number
    rows.append(row)
    return number
  }
}
