extension DyldPrinter {
  /// The summary of dyld 421.1 and later.
  func summary(_ times: Times) -> PrintedText {
    let all = sum(times)
    var block = DyldBlockPrinter(self, whole: all &- times.pause &- times.redo)
    let indent = String(repeating: " ", count: 9)
    block.total("", "Total pre-main time")
    block.stage(indent, "dylib loading time", times.load &- times.pause)
    let fixups = times.rebase + times.bind + times.weakBind
    block.stage(" " + indent.dropFirst(2), "rebase/binding time", fixups &- times.redo)
    block.stage("   " + indent, "ObjC setup time", times.objc)
    block.stage("  " + indent, "initializer time", times.initializers &- times.objc)
    block.lines.append("           slowest intializers :")
    for image in times.images where image.time * 50 >= block.whole {
      block.image(30, image.name, own(image, times))
    }
    block.lines.append("")
    return block.printed("dyld.summary")
  }

  /// The details of every dyld.
  func details(_ times: Times, counts: [UInt64]) -> PrintedText {
    var block = DyldBlockPrinter(self, whole: sum(times))
    let indent = family.isPreMain ? "  " : ""
    block.total(indent, "total time")
    printImages(&block, indent, counts)
    block.stage(indent, "total images loading time", times.load)
    if family.isPreMain {
      block.stage(indent, "total load time in ObjC", times.objc)
      block.stage(indent, "total debugger pause time", times.pause)
    }
    if !isOld { block.stage(indent, "total dtrace DOF registration time", times.dof) }
    printFixups(&block, indent, times, counts)
    printInitializers(&block, indent, times)
    printSearches(&block, counts)
    return block.printed("dyld.details")
  }

  private var isOld: Bool { family == .prebinding || family == .sharedCache }

  private func sum(_ times: Times) -> UInt64 {
    let common = times.load + times.rebase + times.bind + times.initializers
    if family == .prebinding { return common + times.notify }
    return family == .sharedCache ? common : common + times.weakBind + times.dof
  }

  private func own(_ image: (name: String, time: UInt64), _ times: Times) -> UInt64 {
    image.name.hasPrefix("libSystem.") ? image.time &- times.objc : image.time
  }

  private func printImages(_ block: inout DyldBlockPrinter, _ indent: String, _ counts: [UInt64]) {
    let (loaded, cached, rest) = (counts[0], counts[1], counts[2])
    let line = indent + "total images loaded:  \(loaded)"
    switch family {
    case .prebinding:
      block.count(
        line + " (\(cached) used prebinding)",
        ("images_loaded", loaded),
        ("images_used_prebinding", cached)
      )
      return
    case .sharedCache, .weakBinding:
      block.count(
        line + " (\(cached) from dyld shared cache, \(rest) needed no fixups)",
        ("images_loaded", loaded),
        ("images_from_shared_cache", cached),
        ("images_without_fixups", rest)
      )
    case .imageList where cached == 0, .objcSetup where cached == 0:
      block.count(line, ("images_loaded", loaded))
    default:
      block.count(
        line + " (\(cached) from dyld shared cache)",
        ("images_loaded", loaded),
        ("images_from_shared_cache", cached)
      )
    }
    let segments = indent + "total segments mapped: \(counts[3]), into \(counts[4]) pages"
    if family == .withoutPrefetching {
      block.count(segments, ("segments_mapped", counts[3]), ("pages_mapped", counts[4]))
    } else {
      block.count(
        segments + " with \(counts[5]) pages pre-fetched",
        ("segments_mapped", counts[3]),
        ("pages_mapped", counts[4]),
        ("pages_prefetched", counts[5])
      )
    }
  }

  private func printFixups(
    _ block: inout DyldBlockPrinter,
    _ indent: String,
    _ times: Times,
    _ counts: [UInt64]
  ) {
    block.count(
      indent + "total rebase fixups:  " + grouped(counts[6]),
      ("rebase_fixups", counts[6])
    )
    block.stage(indent, "total rebase fixups time", times.rebase)
    block.count(
      indent + "total binding fixups: " + grouped(counts[7]),
      ("binding_fixups", counts[7])
    )
    if counts[8] != 0, family != .prebinding {
      block.count(
        "total binding symbol lookups: \(grouped(counts[8])), "
          + "average images searched per symbol: 1.3",
        ("binding_symbol_lookups", counts[8])
      )
    }
    block.stage(indent, "total binding fixups time", times.bind)
    if !isOld { block.stage(indent, "total weak binding fixups time", times.weakBind) }
    if family.isPreMain {
      block.stage(indent, "total redo shared cached bindings time", times.redo)
    }
    block.count(
      indent + "total bindings lazily fixed up: \(grouped(counts[9])) of \(grouped(counts[10]))",
      ("lazy_bound", counts[9]),
      ("lazy_possible", counts[10])
    )
    if family == .prebinding { block.stage(indent, "total notify time time", times.notify) }
  }

  private func printInitializers(
    _ block: inout DyldBlockPrinter,
    _ indent: String,
    _ times: Times
  ) {
    switch family {
    case .prebinding, .sharedCache:
      block.stage(indent, "total init time time", times.initializers)
    case .weakBinding:
      block.stage(indent, "total initializer time", times.initializers)
    case .imageList:
      block.stage(indent, "total initializer time", times.initializers)
      for image in times.images { block.image(21, image.name, image.time) }
    case .objcSetup:
      block.stage(indent, "total time in initializers and ObjC setup", times.initializers)
      for image in times.images { block.image(40, image.name, image.time) }
    case .preMain, .withoutPrefetching:
      block.stage(
        indent,
        "total time in initializers and ObjC +load",
        times.initializers &- times.objc
      )
      for image in times.images where image.time * 1_000 >= block.whole {
        block.image(42, image.name, own(image, times))
      }
    }
  }

  private func printSearches(_ block: inout DyldBlockPrinter, _ counts: [UInt64]) {
    let (defining, using) = (counts[13], counts[14])
    switch family {
    case .prebinding:
      block.count(
        "total hinted binary tree searches:    \(counts[11])",
        ("hinted_binary_tree_searches", counts[11])
      )
      block.count(
        "total unhinted binary tree searches:  \(counts[12])",
        ("unhinted_binary_tree_searches", counts[12])
      )
      fallthrough
    case .sharedCache:
      block.count(
        "total images with weak exports:  \(defining)",
        ("images_with_weak_exports", defining)
      )
      return
    default: break
    }
    block.count(
      "total symbol trie searches:    \(counts[11])",
      ("symbol_trie_searches", counts[11])
    )
    block.count(
      "total symbol table binary searches:    \(counts[12])",
      ("symbol_table_binary_searches", counts[12])
    )
    if family == .weakBinding {
      block.count(
        "total images defining/using weak symbols:  \(defining)/\(using)",
        ("images_defining_weak", defining),
        ("images_using_weak", using)
      )
    } else {
      block.count(
        "total images defining weak symbols:  \(defining)",
        ("images_defining_weak", defining)
      )
      block.count("total images using weak symbols:  \(using)", ("images_using_weak", using))
    }
  }
}
