import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct OwnPlaceTests {
  private var root: String { TemporaryDirectory.path }

  @Test func `makes a directory with those above it`() throws {
    try OwnPlace.make("\(root)/a/b/builds", permissions: 0o700)
    try OwnPlace.make("\(root)/a/b/builds", permissions: 0o700)
    #expect(try TestMachine.shell("stat -c %a a/b/builds", in: root) == "700")
  }

  @Test func `takes a path from the working directory`() throws {
    let ascent = FilePath(FileManager.default.currentDirectoryPath).components.map { _ in ".." }
    let path = (ascent + [String(root.dropFirst())]).joined(separator: "/")
    try OwnPlace.make("\(path)/a/builds")
    try OwnPlace.makeWay(to: "\(path)/report/img")
    #expect(try OwnPlace.check("\(path)/a/builds"))
    #expect(try OwnPlace.check("\(root)/report/img"))
  }

  @Test(arguments: [
    "mkdir -m 755 place", "mkdir -m 700 place", "mkdir -m 750 place",
    "mkdir -m 775 place; chgrp $(id -u) place",
  ])
  func `takes a directory that nobody else may write to`(script: String) throws {
    try TestMachine.shell(script, in: root)
    let before = try TestMachine.digest(of: root)
    try OwnPlace.make("\(root)/place")
    #expect(try OwnPlace.check("\(root)/place"))
    #expect(try TestMachine.digest(of: root) == before)
  }

  @Test(arguments: [
    "mkdir -m 777 place", "mkdir -m 1777 place", "ln -s / place", "ln -s none place", "touch place",
    "mkdir own; ln -s own place",
  ])
  func `refuses what somebody else has the say of`(script: String) throws {
    try TestMachine.shell(script, in: root)
    #expect(throws: HostError.self) { try OwnPlace.make("\(root)/place") }
    #expect(throws: HostError.self) { try OwnPlace.check("\(root)/place") }
    #expect(!FileManager.default.fileExists(atPath: "\(root)/none"))
  }

  @Test(
    .enabled(if: TestMachine.isRoot, "chown takes root"),
    arguments: [
      "mkdir place; chown 65534 place", "mkdir -m 770 place; chgrp 65534 place",
      "chown 65534 .", "chmod 777 .",
    ]
  )
  func `refuses for root what another user can exchange`(script: String) throws {
    try FileManager.default.createDirectory(
      atPath: "\(root)/way/in",
      withIntermediateDirectories: true
    )
    try TestMachine.shell(script, in: "\(root)/way/in")
    #expect(throws: HostError.self) { try OwnPlace.make("\(root)/way/in/place") }
  }

  @Test(.enabled(if: TestMachine.isRoot, "chown takes root"))
  func `goes through links of its own only`() throws {
    try TestMachine.shell(
      "mkdir real; ln -s real own; ln -s real other; chown -h 65534 other",
      in: root
    )
    try OwnPlace.make("\(root)/own/place")
    #expect(
      throws: HostError.placeRefused(
        path: "\(root)/other",
        .way("\(root)/other", owner: "nobody")
      )
    ) { try OwnPlace.make("\(root)/other/place") }
  }

  @Test func `uses a directory such as /tmp, where only owners may rename`() throws {
    try TestMachine.shell("mkdir -m 1777 shared", in: root)
    try OwnPlace.make("\(root)/shared/place")
  }

  // MARK: - The store

  @Test(
    .enabled(if: TestMachine.isRoot, "chown takes root"),
    arguments: ["x", "x-wal", "x-shm", "x-journal"]
  )
  func `takes no file of a store from another user`(name: String) throws {
    try TestMachine.shell("mkdir -m 1777 s; touch s/\(name); chown 65534 s/\(name)", in: root)
    var isOpened = false
    #expect(
      throws: HostError.placeRefused(path: "\(root)/s/\(name)", .owner("nobody"))
    ) { try StoreFile("\(root)/s/x").opened { isOpened = true } }
    #expect(!isOpened)
  }

  @Test(.enabled(if: TestMachine.isRoot, "only root is kept from it"))
  func `takes no link for a store, and no second name in a shared directory`() throws {
    try TestMachine.shell("mkdir -m 1777 s; touch real; ln -s ../real s/x; ln real s/y", in: root)
    for (name, refusal) in [("x", PlaceRefusal.symbolicLink), ("y", .linked)] {
      #expect(throws: HostError.placeRefused(path: "\(root)/s/\(name)", refusal)) {
        try StoreFile("\(root)/s/\(name)").opened {}
      }
    }
  }

  @Test(.enabled(if: TestMachine.isRoot, "only root is kept from it"))
  func `refuses a file that was put beside the store while it was opened`() throws {
    try TestMachine.shell("mkdir -m 1777 s", in: root)
    #expect(throws: HostError.self) {
      try StoreFile("\(root)/s/x").opened {
        // SQLite removes the log of a new store before it makes one.
        try TestMachine.shell("rm s/x-wal; touch s/x-wal; chown 65534 s/x-wal", in: root)
      }
    }
  }
}
