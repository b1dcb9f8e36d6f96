/// Names the hypervisor below a machine.
struct Virtualization {
  var tree: HostTree
  var hasHypervisorFlag: Bool

  /// The hypervisor, such as `kvm`; nil on bare metal.
  ///
  /// On x86 the processor's flag decides, since firmware names a cloud's bare machines like its
  /// virtual ones. Elsewhere only a product name that is always virtual counts.
  var description: String? {
    if let type = tree.text(at: "sys/hypervisor/type"), !type.isEmpty { return type }
    if hasHypervisorFlag { return clock ?? product ?? "unknown hypervisor" }
    return product
  }

  /// Guests of these hypervisors are offered a clock of their own.
  private var clock: String? {
    let source = "sys/devices/system/clocksource/clocksource0/available_clocksource"
    let clocks = (tree.text(at: source) ?? "").split(separator: " ")
    let known = [("kvm-clock", "kvm"), ("hyperv_clocksource_tsc_page", "hyper-v"), ("xen", "xen")]
    return known.first { clocks.contains(Substring($0.0)) }?.1
  }

  private var product: String? {
    let names = ["sys_vendor", "product_name"]
      .compactMap { tree.text(at: "sys/class/dmi/id/\($0)")?.lowercased() }.joined(separator: " ")
    let known = [
      ("vmware", "vmware"), ("virtualbox", "virtualbox"), ("kvm", "kvm"), ("qemu", "qemu"),
      ("hvm domu", "xen"), ("parallels", "parallels"), ("apple virtualization", "apple"),
      ("microsoft corporation virtual machine", "hyper-v"), ("bochs", "bochs"),
      ("google compute engine", "google"),
    ]
    return known.first { names.contains($0.0) }?.1
  }
}
