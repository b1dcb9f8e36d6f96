import LabModel

extension DoctorCheck {
  /// Memory, and where things lie in it.
  static let memory: [Self] = [
    Self("thp", "huge pages") { host in
      let path = "sys/kernel/mm/transparent_hugepage/enabled"
      guard let list = host.tree.text(at: path) else { return .ok("the kernel makes none") }
      return list.contains("[always]")
        ? .degraded(
          "always: whether a launch gets them depends on how memory is split just then",
          remedy: "use `--control thp=madvise`"
        ) : .ok(list.contains("[madvise]") ? "only where a program asks for them" : "never")
    },
    Self("aslr", "random addresses") { host in
      switch host.tree.text(at: "proc/sys/kernel/randomize_va_space") {
      case "2": .ok("every launch has a layout of its own")
      case nil: .missing("whether they are used cannot be read", remedy: "mount /proc")
      case let level?:
        .degraded(
          "kernel.randomize_va_space is \(level), so that "
            + (level == "1"
              ? "the heap of every launch has the same place"
              : "all launches share one layout, which may be a lucky one"),
          remedy: "use `--control aslr=on`, or `sudo sysctl kernel.randomize_va_space=2`"
        )
      }
    },
    Self("swap", "swap") { host in
      let areas = SwapAreas(tree: host.tree)
      guard !areas.all.isEmpty else { return .ok("there is no area") }
      let count = areas.all.count == 1 ? "one area" : "\(areas.all.count) areas"
      guard areas.held > 0 else { return .ok("\(count), with nothing in it") }
      return .degraded(
        "\(count) with \(areas.held / 1_024) MiB, which launches may have to wait for",
        remedy: "use `--control swap=off`"
      )
    },
    Self("proactive-reclaim", "reclaim of idle pages") { host in
      let reclaim = ProactiveReclaim(tree: host.tree)
      if let agent = reclaim.description {
        return .degraded(
          "\(agent) drops idle pages, so that a warm program grows cold while it rests",
          remedy: "use `--control proactive_reclaim=off`"
        )
      }
      return reclaim.receipt.status == .observed
        ? .ok("no agent does it")
        : .degraded(
          "only root can see whether DAMON does it",
          remedy: "look with `sudo launchlab doctor`"
        )
    },
  ]
}
