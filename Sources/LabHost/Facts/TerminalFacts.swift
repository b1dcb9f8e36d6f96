import CLabHost
import Glibc

/// What is known of a stream that may be a terminal.
package enum TerminalFacts {
  /// The number of columns of the terminal behind a descriptor; nil when there is none.
  ///
  /// A terminal that does not tell its size counts as 80 columns wide.
  package static func width(of descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    let columns = lab_terminal_columns(descriptor)
    return columns > 0 ? Int(columns) : 80
  }
}
