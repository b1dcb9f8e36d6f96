/// Reads the counts of a line of dyld's details.
struct DyldCountReader {
  private let counts: DyldCounts

  /// By the names of the counters.
  private(set) var values: [String: Int64] = [:]

  /// Whether the text ends within the line.
  private(set) var isCut = false

  init(_ counts: DyldCounts) { self.counts = counts }

  /// Reads the line behind the colon of its label.
  ///
  /// - Returns: Whether there was a count; false also for a number that is cut off.
  mutating func read(_ line: inout LineScanner) -> Bool {
    switch counts {
    case .images: readImages(&line)
    case .segments: readSegments(&line)
    case .rebaseFixups: readNumber("rebase_fixups", &line)
    case .bindingFixups: readNumber("binding_fixups", &line)
    case .symbolLookups: readNumber("binding_symbol_lookups", &line)
    case .lazyBindings: readLazyBindings(&line)
    case .trieSearches: readNumber("symbol_trie_searches", &line)
    case .tableSearches: readNumber("symbol_table_binary_searches", &line)
    case .definingWeak: readNumber("images_defining_weak", &line)
    case .usingWeak: readNumber("images_using_weak", &line)
    case .definingAndUsingWeak: readWeak(&line)
    case .weakExports: readNumber("images_with_weak_exports", &line)
    case .hintedSearches: readNumber("hinted_binary_tree_searches", &line)
    case .unhintedSearches: readNumber("unhinted_binary_tree_searches", &line)
    }
    return !values.isEmpty
  }

  private mutating func readImages(_ line: inout LineScanner) {
    readNumber("images_loaded", &line)
    line.blanks()
    guard line.take(Ascii.opening) else { return }
    readClause(&line)
    line.blanks()
    if line.take(Ascii.comma) { readClause(&line) }
  }

  private mutating func readClause(_ line: inout LineScanner) {
    guard let number = number(&line) else { return }
    line.blanks()
    if let (_, name) = Self.clauses.first(where: { line.take($0.text) }) { values[name] = number }
  }

  private static let clauses = [
    (text: "from dyld shared cache", name: "images_from_shared_cache"),
    (text: "used prebinding", name: "images_used_prebinding"),
    (text: "needed no fixups", name: "images_without_fixups"),
  ]

  private mutating func readSegments(_ line: inout LineScanner) {
    readNumber("segments_mapped", &line)
    guard line.take(Ascii.comma) else { return }
    line.blanks()
    guard line.take("into") else { return }
    readPages("pages_mapped", &line)
    line.blanks()
    if line.take("with") { readPages("pages_prefetched", &line) }
  }

  private mutating func readPages(_ name: String, _ line: inout LineScanner) {
    guard let number = number(&line) else { return }
    line.blanks()
    if line.take("pages") { values[name] = number }
  }

  private mutating func readLazyBindings(_ line: inout LineScanner) {
    guard let bound = number(&line) else { return }
    line.blanks()
    guard line.take("of"), let possible = number(&line) else { return }
    values = ["lazy_bound": bound, "lazy_possible": possible]
  }

  /// Reads both numbers of a line of dyld 132.
  private mutating func readWeak(_ line: inout LineScanner) {
    guard let defining = number(&line), line.take("/"), let using = number(&line) else { return }
    values = ["images_defining_weak": defining, "images_using_weak": using]
  }

  private mutating func readNumber(_ name: String, _ line: inout LineScanner) {
    if let number = number(&line) { values[name] = number }
  }

  /// Reads a number that may be grouped in thousands; nil also when it may be cut off.
  private mutating func number(_ line: inout LineScanner) -> Int64? {
    line.blanks()
    var digits = line.text(line.digits())
    while line.next == Ascii.comma, let next = line.peek(1), Ascii.isDigit(next) {
      line.advance()
      digits += line.text(line.digits())
    }
    // The very last line of the details often has no line end, and is taken for whole.
    let isAtEnd = line.isAtEnd || line.next == Ascii.comma && line.peek(1) == nil
    guard !isAtEnd || line.isTerminated || counts.isLast else {
      isCut = true
      return nil
    }
    return Int64(digits)
  }
}

extension DyldCounts {
  /// Whether the line is printed after the list of images.
  var isAfterImages: Bool {
    switch self {
    case .trieSearches, .tableSearches, .definingWeak, .hintedSearches, .unhintedSearches: true
    default: isLast
    }
  }

  /// Whether a printer ends with the line.
  var isLast: Bool {
    switch self {
    case .usingWeak, .definingAndUsingWeak, .weakExports: true
    default: false
    }
  }
}
