package import Foundation
package import LaunchCore

/// A file of comma-separated values, one value a line, that tells when each was measured.
package struct CSVImport {
  /// One per time, host and commit, ascending.
  package let nights: [ImportedNight]

  /// What a reader of the values should know.
  package let warnings: [Diagnostic]

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - content: What the file holds.
  ///   - path: Its path, for messages; without a target, its name is that of the target.
  ///   - options: What is taken for true where the file has no column.
  /// - Throws: ``ImportError`` with every problem.
  package init(_ content: Data, path: String, options: ImportOptions) throws(ImportError) {
    var reader = Reader(path: path, options: options)
    let nights = reader.nights(content)
    guard reader.problems.isEmpty else { throw ImportError(reader.problems) }
    self.nights = ImportedNight.merged(nights)
    warnings = reader.warnings
  }
}

/// Turns records into nights of one value, and gathers what is wrong with them.
private struct Reader {
  let path: String
  let options: ImportOptions
  var problems: [Diagnostic] = []
  var warnings: [Diagnostic] = []
  private var columns: [Column: Int] = [:]

  /// What a column holds.
  private enum Column: String, CaseIterable {
    case time, value, unit, target, state, metric, commit, host
  }

  init(path: String, options: ImportOptions) {
    self.path = path
    self.options = options
  }

  mutating func nights(_ content: Data) -> [ImportedNight] {
    let records: [CSVText.Record]
    if let encoding = CSVText.wideEncoding(of: content) {
      problem(
        "the file is \(encoding) text, not UTF-8",
        line: 1,
        column: 1,
        "convert it with `iconv -f \(encoding) -t UTF-8`"
      )
      return []
    }
    do {
      records = try CSVText(Array(content)).records
    } catch {
      problem(error.text, line: error.line, column: error.column, error.remedy)
      return []
    }
    guard let header = records.first else {
      problem("the file is empty", line: 1, column: 1, "give a file with a header and values")
      return []
    }
    guard findColumns(header) else { return [] }
    guard records.count > 1 else {
      problem("the file has no values", line: header.line, column: 1, "add lines to the header")
      return []
    }
    return records.dropFirst().compactMap { night($0, width: header.fields.count) }
  }

  private mutating func findColumns(_ header: CSVText.Record) -> Bool {
    let names = header.fields.map { $0.text.trimmingCharacters(in: .whitespaces) }
    if let separator = separator(in: names) {
      problem(
        "the values are separated by \(separator), not by commas",
        line: header.line,
        column: 1,
        "export them as comma-separated values, with a point in decimal numbers"
      )
      return false
    }
    for column in Column.allCases {
      columns[column] = names.firstIndex(of: name(of: column))
    }
    for (column, option) in [(Column.time, "--time-column"), (.value, "--value-column")]
    where columns[column] == nil {
      problem(
        "no column \"\(name(of: column))\"; found \(names.map { "\"\($0)\"" }.joined(separator: ", "))",
        line: header.line,
        column: 1,
        "name the column with `\(option) NAME`"
      )
    }
    let unread = names.indices.filter { !columns.values.contains($0) }.map { "\"\(names[$0])\"" }
    if !unread.isEmpty, problems.isEmpty { warnUnread(unread) }
    return problems.isEmpty
  }

  /// The name of another separator in a header, or in a first line such as `sep=;`; nil for commas.
  private func separator(in names: [String]) -> String? {
    guard !names.contains(options.timeColumn) else { return nil }
    let separators: [(character: Character, name: String)] = [
      (";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars"),
    ]
    return separators.first { separator in
      names.joined().count { $0 == separator.character } >= names.count
    }?.name
  }

  private mutating func warnUnread(_ names: [String]) {
    let noun = names.count == 1 ? "the column" : "the columns"
    warnings.append(
      Diagnostic(
        .note,
        id: "import-unread-columns",
        problem:
          "\(noun) \(names.joined(separator: ", ")) \(names.count == 1 ? "is" : "are") not read",
        place: path
      )
    )
  }

  private func name(of column: Column) -> String {
    switch column {
    case .time: options.timeColumn
    case .value: options.valueColumn
    default: column.rawValue
    }
  }

  private mutating func night(_ record: CSVText.Record, width: Int) -> ImportedNight? {
    guard record.fields.count == width else {
      problem(
        "the line has \(record.fields.count) of the \(width) fields that the header names",
        line: record.line,
        column: 1,
        "write an empty field for a value that is missing"
      )
      return nil
    }
    let time = time(in: record)
    let measured = measured(in: record)
    let state = state(in: record)
    guard let time, let measured, let state else { return nil }
    let target = text(.target, in: record) ?? options.target ?? Self.stem(of: path)
    let name = ImportedName.name(from: target)
    return ImportedNight(
      startedAt: time,
      host: text(.host, in: record) ?? options.host,
      commit: text(.commit, in: record) ?? options.commit,
      arms: [
        ImportedArm(
          target: name,
          state: state,
          command: [name],
          values: [measured.metric: [measured.value]]
        )
      ]
    )
  }

  /// The name of a file without its folder and extension.
  private static func stem(of path: String) -> String {
    URL(filePath: path).deletingPathExtension().lastPathComponent
  }
}

// MARK: - Fields

extension Reader {
  /// What a value can be of.
  private static let metrics = Metric.judged.filter { $0.column != nil }

  private mutating func time(in record: CSVText.Record) -> Date? {
    guard let field = field(.time, in: record) else { return nil }
    if let date = ImportedTime.date(field.text) { return date }
    problem(
      "\"\(field.text)\" is not a timestamp",
      at: field,
      "write a date such as 2026-11-21, 2026-11-21T04:30:00Z, or seconds since 1970"
    )
    return nil
  }

  private mutating func measured(
    in record: CSVText.Record
  ) -> (metric: Metric, value: Int64)? {
    guard let field = field(.value, in: record) else { return nil }
    let named = text(.metric, in: record)
    let metric = Self.metrics.first { $0.rawValue == named }
    if let named, metric == nil {
      problem("\"\(named)\" is not a metric", at: field, Self.metricRemedy)
      return nil
    }
    guard let unit = unit(of: metric, in: record) else { return nil }
    guard let found = metric ?? unit.usualMetric else {
      problem("it is not clear what \"\(field.text)\" counts", at: field, Self.metricRemedy)
      return nil
    }
    guard let value = unit.value(field.text) else {
      problem("\"\(field.text)\" is not a value", at: field, "write a number from 0, such as 12.5")
      return nil
    }
    return (found, value)
  }

  private mutating func unit(of metric: Metric?, in record: CSVText.Record) -> ImportedUnit? {
    let field = field(.unit, in: record)
    var unit = options.unit
    if let field, !field.text.isEmpty {
      unit = ImportedUnit(field.text)
      if unit == nil { problem("\"\(field.text)\" is not a unit", at: field, Self.unitRemedy) }
    } else if unit == nil, metric?.unit == .count {
      unit = ImportedUnit("1")
    } else if unit == nil {
      missingUnit(in: record)
    }
    guard let unit else { return nil }
    if let metric, metric.unit != unit.unit, let place = field ?? self.field(.value, in: record) {
      problem("the metric \"\(metric.rawValue)\" is not in that unit", at: place, Self.unitRemedy)
      return nil
    }
    return unit
  }

  /// Said once, since it is the same for every line.
  private mutating func missingUnit(in record: CSVText.Record) {
    guard !problems.contains(where: { $0.id == "import-unit" }) else { return }
    problems.append(
      Diagnostic(
        .error,
        id: "import-unit",
        problem: "values have no unit",
        place: "\(path):\(record.line)",
        remedy: "give it with `--unit ms`, or add a column \"unit\""
      )
    )
  }

  private mutating func state(in record: CSVText.Record) -> LaunchState? {
    guard let field = field(.state, in: record), !field.text.isEmpty else { return options.state }
    if let state = LaunchState(rawValue: field.text) { return state }
    let names = LaunchState.allCases.map(\.rawValue).joined(separator: ", ")
    problem("\"\(field.text)\" is not a launch state", at: field, "write one of \(names)")
    return nil
  }

  private static var metricRemedy: String {
    let names = Self.metrics.map(\.rawValue).joined(separator: ", ")
    return "write one of \(names) in a column \"metric\""
  }

  private static var unitRemedy: String {
    "write one of \(ImportedUnit.list)"
  }

  private func text(_ column: Column, in record: CSVText.Record) -> String? {
    field(column, in: record).map(\.text).flatMap { $0.isEmpty ? nil : $0 }
  }

  private func field(_ column: Column, in record: CSVText.Record) -> CSVText.Field? {
    guard let index = columns[column] else { return nil }
    var field = record.fields[index]
    field.text = field.text.trimmingCharacters(in: .whitespaces)
    // Our own export keeps spreadsheets from taking a text for a formula.
    if field.text.wholeMatch(of: /(?s)'[=+\-@\t].*/) != nil { field.text.removeFirst() }
    return field
  }

  private mutating func problem(_ text: String, at field: CSVText.Field, _ remedy: String) {
    problem(text, line: field.line, column: field.column, remedy)
  }

  private mutating func problem(_ text: String, line: Int, column: Int, _ remedy: String) {
    problems.append(
      Diagnostic(
        .error,
        id: "import-csv",
        problem: text,
        place: "\(path):\(line):\(column)",
        remedy: remedy
      )
    )
  }
}
