import LaunchCore
package import Rendering
import Stages

/// A traced and a sampled launch of each program as a file for the Firefox Profiler.
///
/// Each launch is a process there. Of a traced one the critical path and every thread have a track,
/// with the exact time of own code, system calls and waits as stacks, and with a marker for every
/// system call and wait. Of a sampled one every thread has its call stacks. Every launch begins at 0.
///
/// Source: `src/types/profile.ts` of firefox-devtools/profiler, of version 60 of the processed format,
/// in which all threads share their tables; later versions of the program upgrade it.
package struct FirefoxProfile: JSONDocument {
  private let result: ExplanationResult

  package init(_ result: ExplanationResult) { self.result = result }

  package var layout: JSONText.Layout { .line }

  package var value: JSONValue {
    var tables = FirefoxTables()
    var threads: [FirefoxThread] = []
    for (side, arm) in result.sides {
      let reader = result.explanation.reading.reader
      let names: (LaunchActor) -> String = {
        ExplanationWords.name(of: reader.name(of: $0, in: side))
      }
      let first = threads.count
      if let traced = arm.traced {
        let tracks = LaunchTracks(traced)
        threads += FirefoxThread.traced(tracks, arm.name, first: first, &tables, nameOf: names)
      }
      if let sampled = arm.sampled {
        threads += FirefoxThread.sampled(sampled, arm.name, &tables, nameOf: names)
      }
    }
    let interval = result.arms.compactMap(\.sampled).map(\.period).max() ?? Nanoseconds(1_000)
    return [
      "meta": meta(interval: interval, threads: threads.count),
      "libs": [],
      "shared": tables.value,
      "threads": .array(threads.indices.map { threads[$0].value(number: $0) }),
    ]
  }

  private func meta(interval: Nanoseconds, threads: Int) -> JSONValue {
    [
      "interval": FirefoxThread.milliseconds(interval),
      "startTime": .integer(0),
      "processType": .integer(0),
      "product": "launchlab",
      "importedFrom": .string("launchlab \(LaunchlabVersion.current)"),
      "arguments": .string(
        result.arms.map { ShellQuoting.text($0.command) }.joined(separator: "; ")
      ),
      "stackwalk": .integer(1),
      "version": .integer(30),
      "preprocessedProfileVersion": .integer(60),
      "platform": "Linux",
      "symbolicated": .bool(true),
      "usesOnlyOneStackType": .bool(true),
      "sourceCodeIsNotOnSearchfox": .bool(true),
      "keepProfileThreadOrder": .bool(true),
      "initialVisibleThreads": .integers((0..<threads).map(Int64.init)),
      "initialSelectedThreads": .integers(threads > 0 ? [0] : []),
      "categories": .array(FirefoxCategory.values),
      "markerSchema": [
        schema(
          "SystemCall",
          label: "{marker.name} {marker.data.object}",
          ["object": ("Object", "sanitized-string")]
        ),
        schema(
          "Wait",
          label: "{marker.name} {marker.data.waker}",
          [
            "object": ("Object", "sanitized-string"), "waker": ("Woken by", "string"),
            "thread": ("Thread", "tid"),
          ]
        ),
        schema("CriticalPath", label: "{marker.name}", ["object": ("Object", "sanitized-string")]),
      ],
    ]
  }

  private func schema(
    _ name: String,
    label: String,
    _ fields: KeyValuePairs<String, (label: String, format: String)>
  ) -> JSONValue {
    [
      "name": .string(name), "tooltipLabel": .string(label), "tableLabel": .string(label),
      "chartLabel": .string(label),
      "display": ["marker-chart", "marker-table", "timeline-overview"],
      "fields": .array(
        fields.map { key, field in
          [
            "key": .string(key), "label": .string(field.label), "format": .string(field.format),
          ]
        }
      ),
    ]
  }
}
