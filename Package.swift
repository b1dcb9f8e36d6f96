// swift-tools-version: 6.2
import PackageDescription

let argumentParser = Target.Dependency.product(
  name: "ArgumentParser",
  package: "swift-argument-parser"
)
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

let package = Package(
  name: "launchlab",
  products: [
    .executable(name: "launchlab", targets: ["launchlab"]),
    .library(name: "LaunchMarks", targets: ["LaunchMarks"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
  ],
  targets: [
    // What every room stands on: pure values, mathematics and text.
    .target(name: "LaunchStatistics"),
    .target(name: "LaunchCore"),
    .target(
      name: "Rendering",
      dependencies: ["LaunchCore"]
    ),

    // The edges: each wraps one foreign interface, and none imports another.
    .target(
      name: "Scenarios",
      dependencies: ["LaunchCore", yams]
    ),
    .target(
      name: "LaunchStore",
      dependencies: ["LaunchCore", grdb, systemPackage]
    ),
    .target(
      name: "LaunchDepot",
      dependencies: ["LaunchCore", "CLabHost", subprocess, systemPackage]
    ),
    .target(
      name: "FleetEngines",
      dependencies: ["LaunchCore", "CLabHost", subprocess, systemPackage]
    ),
    .target(name: "CLaunchWire"),
    .target(name: "CLabHost", dependencies: ["CLaunchWire", "LaunchMarks"]),
    .target(
      name: "LaunchHost",
      dependencies: ["LaunchCore", "CLabHost", "CLaunchWire", subprocess, systemPackage],
      plugins: ["EmbedNativeHelpers"]
    ),

    // A run, and what it needs.
    .target(
      name: "Builds",
      dependencies: ["LaunchCore", "LaunchHost", "CLabHost", subprocess, systemPackage]
    ),
    .target(
      name: "Stages",
      dependencies: ["LaunchStatistics", "LaunchCore", "Rendering"]
    ),
    .target(
      name: "Measuring",
      dependencies: [
        "LaunchStatistics", "LaunchCore", "Rendering", "Scenarios", "LaunchStore", "LaunchHost",
        "Builds", "Stages", systemPackage,
      ]
    ),

    // The capabilities: one room each.
    .target(
      name: "Comparison",
      dependencies: [
        "LaunchStatistics", "LaunchCore", "Rendering", "Scenarios", "LaunchStore", "LaunchHost",
        "Builds", "Measuring",
      ]
    ),
    .target(
      name: "Explanation",
      dependencies: [
        "LaunchStatistics", "LaunchCore", "Rendering", "Scenarios", "LaunchHost", "Stages",
        "Measuring", "Comparison", systemPackage,
      ]
    ),
    .target(
      name: "Gate",
      dependencies: [
        "LaunchStatistics", "LaunchCore", "Rendering", "Scenarios", "LaunchStore", "LaunchHost",
        "Builds", "Stages", "Measuring", "Comparison", "Explanation",
      ]
    ),
    .target(
      name: "LabChecks",
      dependencies: [
        "LaunchStatistics", "LaunchCore", "Rendering", "Scenarios", "LaunchStore", "LaunchHost",
        "Stages", "Measuring", "Comparison",
      ]
    ),
    .target(
      name: "History",
      dependencies: [
        "LaunchStatistics", "LaunchCore", "Rendering", "Scenarios", "LaunchStore", "LaunchHost",
        "Builds", "Stages", "Measuring", "Comparison", "Explanation", "Gate", "LaunchDepot",
        mustache,
      ],
      exclude: ["Dashboard/dashboard.html", "Dashboard/dashboard.css", "Dashboard/dashboard.js"],
      plugins: ["EmbedDashboard"]
    ),
    .target(
      name: "Bisection",
      dependencies: [
        "LaunchStatistics", "LaunchCore", "Rendering", "Scenarios", "LaunchStore", "LaunchHost",
        "Builds", "Stages", "Measuring", "Comparison", "Explanation", "History",
      ]
    ),

    .target(
      name: "Fleet",
      dependencies: [
        "LaunchCore", "Rendering", "Scenarios", "LaunchStore", "LaunchHost", "LaunchDepot",
        "FleetEngines", "Measuring", "History", "Bisection",
      ]
    ),

    // The command line.
    .executableTarget(
      name: "launchlab",
      dependencies: [
        "LaunchCore", "Rendering", "Stages", "Measuring", "Comparison", "Explanation", "Gate",
        "LabChecks", "History", "Bisection", "Fleet", argumentParser,
      ]
    ),
    .plugin(name: "EmbedDashboard", capability: .buildTool()),
    .plugin(name: "EmbedNativeHelpers", capability: .buildTool()),

    // For other programs: what they say of their own launches.
    .target(name: "LaunchMarks", exclude: ["library.c"]),

    // Tests.
    .target(
      name: "LabTestSupport",
      dependencies: ["LaunchCore"],
      path: "Tests/LabTestSupport"
    ),
    .testTarget(name: "LabModelTests", dependencies: ["LaunchCore", "LabTestSupport"]),
    .testTarget(name: "LabPatternsTests", dependencies: ["LaunchCore"]),
    .testTarget(
      name: "LabStatisticsTests",
      dependencies: ["LaunchStatistics", "LabTestSupport"],
      resources: [.copy("Fixtures")]
    ),
    .testTarget(
      name: "LabAnalysisTests",
      dependencies: [
        "LaunchStatistics", "LaunchCore", "Stages", "Measuring", "Comparison", "LabChecks",
        "History", "Bisection", "LabTestSupport",
      ],
      resources: [.copy("Fixtures")]
    ),
    .testTarget(
      name: "ExplanationTests",
      dependencies: [
        "LaunchStatistics", "LaunchCore", "Rendering", "LaunchHost", "Stages", "Measuring",
        "Comparison", "Explanation", "LabTestSupport", systemPackage,
      ]
    ),
    .testTarget(
      name: "LabReportTests",
      dependencies: [
        "LaunchStatistics", "LaunchCore", "Rendering", "Stages", "Measuring", "Comparison",
        "LabChecks", "History", "Bisection", "LabTestSupport",
      ],
      exclude: ["Snapshots", "Bisect/Snapshots", "Compare/Snapshots", "Trend/Snapshots"]
    ),
    .testTarget(
      name: "LabHostTests",
      dependencies: [
        "LaunchCore", "LaunchHost", "Builds", "LabTestSupport", "CLaunchWire", subprocess,
        systemPackage,
      ],
      resources: [.copy("Fixtures")]
    ),
    .testTarget(
      name: "LabScenariosTests",
      dependencies: ["LaunchCore", "Scenarios", "LabTestSupport"],
      exclude: ["Snapshots"]
    ),
    .testTarget(
      name: "LabStoreTests",
      dependencies: ["LaunchCore", "LaunchStore", "LabTestSupport", grdb],
      resources: [.copy("Fixtures")]
    ),
    .testTarget(
      name: "LabFleetTests",
      dependencies: [
        "LaunchCore", "LaunchStore", "Rendering", "LaunchDepot", "FleetEngines", "Measuring",
        "History", "LabTestSupport", grdb, subprocess, systemPackage,
      ]
    ),
    .testTarget(
      name: "LabWorkflowsTests",
      dependencies: [
        "LaunchStatistics", "LaunchCore", "Rendering", "Scenarios", "LaunchStore", "LaunchHost",
        "Builds", "Stages", "Measuring", "Comparison", "Explanation", "Gate", "LabChecks",
        "History", "Bisection", "LaunchDepot", "FleetEngines", "Fleet", "LabTestSupport",
      ]
    ),
    .testTarget(
      name: "LaunchlabCLITests",
      dependencies: [
        "Rendering", "Measuring", "Comparison", "Bisection", "launchlab", "LabTestSupport",
        argumentParser,
      ],
      exclude: ["Snapshots"]
    ),
    .testTarget(
      name: "LaunchMarksTests",
      dependencies: ["LaunchCore", "LaunchHost", "LaunchMarks", "LabTestSupport"],
      exclude: ["Fixtures"]
    ),
    .testTarget(
      name: "LaunchlabIntegrationTests",
      dependencies: ["LabTestSupport"],
      exclude: [
        "recompute.py", "recompute_criteria.py", "recompute_formulas.py", "recompute_history.py",
      ]
    ),
  ]
)

let cTargets = ["CLabHost", "CLaunchWire", "LaunchMarks"]
for target in package.targets where target.type != .plugin && !cTargets.contains(target.name) {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
  ]
}

// Release builds are for size. Tests are not optimised, and compiled file by file, on all processors.
// What computes is optimised in debug builds, too: tests simulate thousands of nights with it. That
// takes the compiler four times as long, so not what only carries the numbers.
let computing = ["LaunchStatistics", "Comparison", "Bisection"]
for target in package.targets where target.type != .plugin && !cTargets.contains(target.name) {
  let isTest = target.type == .test || target.name == "LabTestSupport"
  let flags =
    isTest
    ? ["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"]
    : ["-Osize"]
  target.swiftSettings?.append(.unsafeFlags(flags, .when(configuration: .release)))
  if computing.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-O"], .when(configuration: .debug)))
  }
}
