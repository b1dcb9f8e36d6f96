/// The temperature sensors of a machine: thermal zones, and those of hwmon chips.
///
/// Source: the kernel's driver-api/thermal/sysfs-api.rst and hwmon/sysfs-interface.rst.
struct TemperatureSensors {
  private let files: [KeptFile]

  init(tree: HostTree) {
    let zones = tree.names(in: "sys/class/thermal").filter { $0.hasPrefix("thermal_zone") }
      .map { "sys/class/thermal/\($0)/temp" }
    let inputs = tree.names(in: "sys/class/hwmon").flatMap { chip in
      tree.names(in: "sys/class/hwmon/\(chip)")
        .filter { $0.hasPrefix("temp") && $0.hasSuffix("_input") }
        .map { "sys/class/hwmon/\(chip)/\($0)" }
    }
    files = (zones + inputs).compactMap { KeptFile($0, in: tree) }
  }

  var areMissing: Bool { files.isEmpty }

  /// In degrees Celsius; a sensor that tells nonsense, as broken ones do, is left out.
  var degrees: [Double] {
    files.compactMap { file in
      file.numbers?.first.map { Double($0) / 1_000 }
    }
    .filter { degrees in degrees > 0 && degrees < 150 }
  }

  /// The highest temperature in degrees Celsius; nil when no sensor answers.
  var highest: Double? { degrees.max() }
}
