import LabModel

extension ChartPlot {
  /// What the signs mean, in one line below the dates, each drawn as it is in the chart.
  func legend(hasBreaks: Bool, isOutside: Bool) -> [String] {
    let entries = [
      Entry(sign: dot, text: "median of a night"), Entry(sign: band, text: "95 % interval"),
      Entry(sign: stroke(theme.level, #" stroke-width="1.8""#), text: "level"),
      Entry(sign: upright(theme.worse), text: "level changed"),
    ]
    let breaks = Entry(
      sign: upright(theme.broken, #" stroke-dasharray="5 4""#),
      text: "not compared across"
    )
    let outside = Entry(
      sign: {
        #"<path d="M\#($0 + 6) 257L\#($0 + 1) 266L\#($0 + 11) 266Z" fill="\#(theme.outlier)"/>"#
      },
      text: "outside the axis"
    )
    var x = 76
    let shown = entries + (hasBreaks ? [breaks] : []) + (isOutside ? [outside] : [])
    return shown.flatMap { entry -> [String] in
      let place = x
      x += 32 + entry.text.count * 57 / 10
      return [
        entry.sign(place),
        #"<text x="\#(place + 18)" y="266" font-size="11" fill="\#(theme.faint)">"#
          + "\(entry.text)</text>",
      ]
    }
  }

  private struct Entry {
    /// Draws the sign, 12 units wide.
    var sign: (Int) -> String
    var text: String
  }

  private func dot(_ x: Int) -> String {
    #"<circle cx="\#(x + 6)" cy="262" r="2.6" fill="\#(theme.value)"/>"#
  }

  private func band(_ x: Int) -> String {
    #"<rect x="\#(x)" y="257" width="12" height="10" fill="\#(theme.value)" fill-opacity="0.22"/>"#
  }

  private func stroke(_ colour: String, _ attributes: String) -> (Int) -> String {
    { #"<line x1="\#($0)" y1="262" x2="\#($0 + 12)" y2="262" stroke="\#(colour)"\#(attributes)/>"# }
  }

  private func upright(_ colour: String, _ attributes: String = "") -> (Int) -> String {
    {
      #"<line x1="\#($0 + 6)" y1="256" x2="\#($0 + 6)" y2="268" stroke="\#(colour)"\#(attributes)/>"#
    }
  }
}
