import LabModel

/// The signals that can be named in a scenario.
enum Signal {
  /// Those that end a program by default, with their numbers on Linux.
  private static let numbers: KeyValuePairs<String, Int32> = [
    "HUP": 1, "INT": 2, "QUIT": 3, "ABRT": 6, "KILL": 9, "USR1": 10, "USR2": 12, "PIPE": 13,
    "ALRM": 14, "TERM": 15, "WINCH": 28, "PWR": 30,
  ]

  static let names = numbers.map(\.key)

  /// Reads a name with or without `SIG`, or a number.
  static func number(of text: String) throws(FormProblem) -> Int32 {
    let name = text.hasPrefix("SIG") ? String(text.dropFirst(3)) : text
    if let number = numbers.first(where: { $0.key == name })?.value { return number }
    if let number = Int32(text), (1...64).contains(number), !(18...22).contains(number) {
      return number
    }
    throw FormProblem(
      problem: "\(quoted(text)) is not a signal that ends a program",
      remedy: spellingRemedy(for: name, among: names)
    )
  }
}
