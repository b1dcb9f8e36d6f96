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
    .executable(name: "launchlab", targets: ["LaunchlabCLI"]),
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
    // The core: pure values and pure functions.
    .target(name: "LabModel"),
    .target(name: "LabPatterns"),
    .target(name: "LabStatistics"),
    .target(name: "LabAnalysis", dependencies: ["LabModel", "LabPatterns", "LabStatistics"]),
    .target(
      name: "LabReport",
      dependencies: ["LabModel", "LabStatistics", "LabAnalysis", mustache],
      exclude: ["Dashboard/dashboard.html", "Dashboard/dashboard.css", "Dashboard/dashboard.js"],
      plugins: ["EmbedDashboard"]
    ),

    // The edges: each wraps one foreign interface, and none imports another.
    .target(name: "CLaunchWire"),
    .target(name: "CLabHost", dependencies: ["CLaunchWire", "LaunchMarks"]),
    .target(
      name: "LabHost",
      dependencies: [
        "LabModel", "LabPatterns", "CLabHost", "CLaunchWire", subprocess, systemPackage,
      ],
      plugins: ["EmbedNativeHelpers"]
    ),
    .target(name: "LabScenarios", dependencies: ["LabModel", "LabPatterns", yams]),
    .target(name: "LabStore", dependencies: ["LabModel", grdb, systemPackage]),

    // The use cases and the command line.
    .target(
      name: "LabWorkflows",
      dependencies: [
        "LabModel", "LabStatistics", "LabAnalysis", "LabReport", "LabHost", "LabScenarios",
        "LabStore",
      ]
    ),
    .executableTarget(
      name: "LaunchlabCLI",
      dependencies: ["LabWorkflows", "LabReport", "LabModel", argumentParser]
    ),
    .plugin(name: "EmbedDashboard", capability: .buildTool()),
    .plugin(name: "EmbedNativeHelpers", capability: .buildTool()),

    // For other programs: what they say of their own launches.
    .target(name: "LaunchMarks", exclude: ["library.c"]),

    // Tests.
    .target(
      name: "LabTestSupport",
      dependencies: ["LabModel"],
      path: "Tests/LabTestSupport"
    ),
    .testTarget(name: "LabModelTests", dependencies: ["LabModel", "LabTestSupport"]),
    .testTarget(name: "LabPatternsTests", dependencies: ["LabPatterns"]),
    .testTarget(
      name: "LabStatisticsTests",
      dependencies: ["LabStatistics", "LabTestSupport"],
      resources: [.copy("Fixtures")]
    ),
    .testTarget(
      name: "LabAnalysisTests",
      dependencies: ["LabAnalysis", "LabStatistics", "LabModel", "LabTestSupport"],
      resources: [.copy("Fixtures")]
    ),
    .testTarget(
      name: "LabReportTests",
      dependencies: ["LabReport", "LabAnalysis", "LabStatistics", "LabModel", "LabTestSupport"],
      exclude: ["Snapshots", "Bisect/Snapshots", "Compare/Snapshots", "Trend/Snapshots"]
    ),
    .testTarget(
      name: "LabHostTests",
      dependencies: [
        "LabHost", "LabModel", "LabTestSupport", "CLaunchWire", subprocess, systemPackage,
      ],
      resources: [.copy("Fixtures")]
    ),
    .testTarget(
      name: "LabScenariosTests",
      dependencies: ["LabScenarios", "LabModel", "LabTestSupport"],
      exclude: ["Snapshots"]
    ),
    .testTarget(
      name: "LabStoreTests",
      dependencies: ["LabStore", "LabModel", "LabTestSupport", grdb],
      resources: [.copy("Fixtures")]
    ),
    .testTarget(
      name: "LabWorkflowsTests",
      dependencies: ["LabWorkflows", "LabScenarios", "LabStore", "LabModel", "LabTestSupport"]
    ),
    .testTarget(
      name: "LaunchlabCLITests",
      dependencies: ["LaunchlabCLI", "LabTestSupport", argumentParser],
      exclude: ["Snapshots"]
    ),
    .testTarget(
      name: "LaunchMarksTests",
      dependencies: ["LaunchMarks", "LabHost", "LabModel", "LabTestSupport"],
      exclude: ["Fixtures"]
    ),
    .testTarget(
      name: "LaunchlabIntegrationTests",
      dependencies: ["LabTestSupport", "LabModel"],
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

// What computes is optimised in debug builds, too: the tests simulate thousands of nights with it.
let optimised = ["LabModel", "LabPatterns", "LabStatistics", "LabAnalysis"]
for target in package.targets where optimised.contains(target.name) {
  target.swiftSettings?.append(.unsafeFlags(["-O"], .when(configuration: .debug)))
}
