extension Unicode.Scalar {
  /// Whether it steers a terminal, ends a line, or changes the writing direction of what follows it.
  package var isControl: Bool {
    // Most text is ASCII, whose properties need not be looked up.
    if isASCII { return value < 0x20 || value == 0x7F }
    return switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format: isDirectional
    default: false
    }
  }

  private var isDirectional: Bool {
    [0x061C, 0x200E, 0x200F].contains(value) || (0x202A...0x202E).contains(value)
      || (0x2066...0x206F).contains(value)
  }
}
