import Glibc

extension DoctorCheck {
  /// What launch states and isolation need.
  static let rights: [Self] = [
    Self("root", "root rights") { host in
      host.isRoot
        ? .ok("launchlab runs as root")
        : .degraded(
          "launchlab runs as user \(host.trials.user()), who can change few settings of this machine",
          remedy: "run launchlab with `sudo`"
        )
    },
    Self("drop-caches", "dropping the page cache") { host in
      let path = "/proc/sys/vm/drop_caches"
      if host.tree.isWritable(at: path) {
        return .ok("\(path) can be written, as the state reboot-cold needs")
      }
      return .missing(
        "\(path) cannot be written, so that the state reboot-cold is refused",
        remedy: host.remedy(forRoot: "make /proc/sys writable, as `docker run --privileged` does")
          + ", or use the state reinstall-cold"
      )
    },
    Self("page-cache", "reading the page cache") { host in
      host.trials.seesResidency()
        ? .ok("the kernel reports residency for every file")
        : .degraded(
          "the kernel shows residency only of a user's own files, so that cold states of other "
            + "files count as not verified",
          remedy: "run launchlab as root, or own the target's files"
        )
    },
    Self("cgroup", "a control group per run", find: cgroup),
    Self("cpuset", "reserving processors", find: cpuset),
    Self("network-namespace", "a network apart") { host in
      let code = host.trials.networkNamespace()
      if code == 0 { return .ok("a launch can have a network of its own, for `network: none`") }
      return .missing(
        "no network namespace can be made (\(code.errorText)), so that `network: none` is refused",
        remedy: namespaceRemedy(host)
      )
    },
  ]

  private static func cgroup(_ host: HostExamination) -> Finding {
    let places = CgroupPlaces(tree: host.tree)
    if let own = places.own, host.tree.isWritable(at: own),
      host.tree.isWritable(at: "\(own)/cgroup.procs")
    {
      return .ok(
        "it is made in \(own) (cgroup v2 mounted on \(places.unified ?? own)): whatever a target "
          + "starts is ended with its launch"
      )
    }
    let remedy: String
    if let mount = places.unified {
      remedy = host.remedy(forRoot: "make it writable with `mount -o remount,rw \(mount)`")
    } else {
      remedy = host.remedy(
        forRoot: "mount one with `mkdir -p /run/cgroup2 && mount -t cgroup2 none /run/cgroup2`"
      )
    }
    let delegation =
      host.isRoot ? "" : ", or with `systemd-run --user --scope -p Delegate=yes launchlab`"
    return .degraded(
      "no cgroup v2 can be written: a target that daemonises may outlive a kill of both launchlab "
        + "and its spawner, until `launchlab restore`",
      remedy: remedy + delegation
    )
  }

  private static func cpuset(_ host: HostExamination) -> Finding {
    let places = CgroupPlaces(tree: host.tree)
    if let legacy = places.legacy("cpuset") {
      return host.tree.isWritable(at: legacy) && host.tree.isWritable(at: "\(legacy)/tasks")
        ? .ok("cpusets can be made in \(legacy), so that others keep off `cpus`")
        : lockedCpuset(host, file: legacy, mount: legacy)
    }
    guard let unified = places.unified,
      places.controllers(in: "cgroup.controllers").contains("cpuset")
    else {
      return .missing(
        "there is no cpuset, \(consequence)",
        remedy: "boot with `isolcpus=` and the processors that `cpus` names"
      )
    }
    let control = "\(unified)/cgroup.subtree_control"
    guard host.tree.isWritable(at: control) else {
      return lockedCpuset(host, file: control, mount: unified)
    }
    return places.controllers(in: "cgroup.subtree_control").contains("cpuset")
      ? .ok("cpusets of \(unified) can be set, so that others keep off `cpus`")
      : .degraded(
        "the controller cpuset of \(unified) is not on, \(consequence)",
        remedy: "switch it on with `echo +cpuset | sudo tee \(control)`"
      )
  }

  private static let consequence =
    "so that `cpus` pins targets but does not reserve their processors"

  private static func lockedCpuset(
    _ host: HostExamination,
    file: String,
    mount: String
  ) -> Finding {
    .missing(
      "\(file) cannot be written, \(consequence)",
      remedy: host.remedy(forRoot: "make it writable with `mount -o remount,rw \(mount)`")
    )
  }

  private static func namespaceRemedy(_ host: HostExamination) -> String {
    if host.isRoot { return "give the container CAP_SYS_ADMIN, as `docker run --privileged` does" }
    let switches = [
      ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
      ("kernel.unprivileged_userns_clone", "0", "1"), ("user.max_user_namespaces", "0", "15000"),
    ]
    let found = switches.first { name, bad, _ in
      host.tree.text(at: "proc/sys/\(name.replacing(".", with: "/"))") == bad
    }
    let sysctl = found.map { ", or allow it with `sudo sysctl \($0.0)=\($0.2)`" } ?? ""
    return "run launchlab as root\(sysctl)"
  }
}
