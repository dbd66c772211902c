import Foundation
import Glibc
import MinilabKit
import TestSupport
import Testing
import V4L2

/// A run that takes pictures, as a process that gets signals.
private final class Station {
  private let process = Process()
  private let output: FileHandle
  let folder: ScratchFolder

  /// - Parameters:
  ///   - folder: gets `out` and what the run prints.
  ///   - devices: where the device files are.
  ///   - toml: more lines of the step.
  /// - Throws: where the program cannot be started.
  init(_ folder: ScratchFolder, devices: String, _ toml: String) throws {
    self.folder = folder
    try folder.write(
      """
      profile = 1
      [[step]]
      op = "capture"
      size = [64, 48]
      warm-up = 1
      \(toml)
      [[output]]
      path = "{stem}.{ext}"
      """,
      to: "p.toml"
    )
    let log = try folder.write("", to: "log")
    output = try #require(FileHandle(forWritingAtPath: log.shown))
    process.executableURL = URL(fileURLWithPath: try Program.minilab.path.shown)
    process.arguments = ["run", "p.toml", "-o", "out", "--json"]
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path.shown)
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["MINILAB_VIDEO_DEVICES": devices]
    ) { $1 }
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// The process that talks to the camera.
  var source: pid_t? {
    let own = "\(process.processIdentifier)"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap(pid_t.init).first { id in
      guard let status = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8),
        let arguments = try? String(contentsOfFile: "/proc/\(id)/cmdline", encoding: .utf8)
      else { return false }
      return status.contains("PPid:\t\(own)\n") && arguments.contains("\0source")
    }
  }

  func wait() -> Int32 {
    process.waitUntilExit()
    return process.terminationReason == .exit
      ? process.terminationStatus : -process.terminationStatus
  }

  var events: [CaptureEvent] {
    get throws {
      let text = String(decoding: try contents(of: folder.path.appending("log")), as: UTF8.self)
      // A process that is killed may leave half a line.
      let whole = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      return try CaptureEvent.all(whole.joined(separator: "\n"))
    }
  }

  /// Waits until so many pictures are done.
  func waitUntilDone(_ count: Int) throws {
    for _ in 0..<3000 {
      if try events.filter({ $0.status == "done" }).count >= count { return }
      usleep(20_000)
    }
    Issue.record("\(count) pictures in a minute")
  }
}

@Suite(
  "Captures that are interrupted",
  .serialized,
  .enabled(if: FakeCameras.arePossible, "\(FakeCameras.reason)")
)
struct CaptureSignalTests {
  private static let camera = """
    card Cam
    rate 50
    format YUYV YUYV 4:2:2
    size 64 48
    control 0x980900 1 -64 64 1 0 Brightness
    control 0x9a0901 3 0 3 1 3 Auto Exposure
    menu 0x9a0901 1 Manual Mode
    menu 0x9a0901 3 Aperture Priority Mode
    control 0x9a0902 1 1 5000 1 157 Exposure Time, Absolute
    needs 0x9a0902 0x9a0901 1
    control 0x9c0901 3 0 2 1 0 LED Mode
    menu 0x9c0901 0 Off
    menu 0x9c0901 2 Torch

    """

  private static let settings = """
    count = 10000
    interval = 0.05
    exposure = 0.02
    controls = { brightness = 20 }
    flash = "on"
    """

  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  private func controls(_ cameras: FakeCameras) throws -> [String: Int] {
    let device = try VideoDevice(opening: cameras.path("video0"))
    let values = try device.controls().map { ($0.name, $0.value ?? -1) }
    return Dictionary(uniqueKeysWithValues: values)
  }

  private static let standing = [
    "brightness": 0, "auto_exposure": 3, "exposure_time_absolute": 157, "led_mode": 0,
  ]

  private var leftovers: [String] {
    let own = scratch.path.appending("out/.minilab/tmp").shown
    return (try? FileManager.default.contentsOfDirectory(atPath: own)) ?? []
  }

  /// Outputs and kept pictures are whole: each ends as a PNG does.
  private func expectWholeFiles() throws {
    for folder in ["out", "out/.minilab/captured"] {
      let path = scratch.path.appending(folder)
      let names = (try? FileManager.default.contentsOfDirectory(atPath: path.shown)) ?? []
      for name in names where name.hasSuffix(".png") {
        let bytes = try contents(of: path.appending(name))
        #expect(Array(bytes.suffix(8)) == [0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82])
      }
    }
  }

  @Test(
    "SIGINT and SIGTERM end a run with what it has; the camera stands as before (field report 39)",
    arguments: [SIGINT, SIGTERM]
  )
  func interrupt(_ signal: Int32) throws {
    try FakeCameras.withCameras(["video0": Self.camera]) { cameras in
      let station = try Station(scratch, devices: cameras.folder, Self.settings)
      try station.waitUntilDone(3)
      #expect(try controls(cameras)["brightness"] == 20)
      station.send(signal)
      #expect(station.wait() == 130)
      #expect(try controls(cameras) == Self.standing)
      #expect(leftovers.isEmpty)
      try expectWholeFiles()
    }
  }

  @Test("a camera process that is killed leaves its camera to another one, and the run fails")
  func killedSource() throws {
    try FakeCameras.withCameras(["video0": Self.camera]) { cameras in
      let station = try Station(scratch, devices: cameras.folder, Self.settings)
      try station.waitUntilDone(3)
      #expect(try controls(cameras)["auto_exposure"] == 1)
      kill(try #require(station.source), SIGKILL)
      #expect(station.wait() == 1)
      #expect(try controls(cameras) == Self.standing)
      let events = try station.events
      #expect(events.last?.error?.code == "crashed")
      #expect(events.dropLast().allSatisfy { $0.status == "done" })
      #expect(leftovers.isEmpty)
      try expectWholeFiles()
    }
  }

  @Test("where the run itself is killed, the camera process puts its camera back")
  func killedRun() throws {
    try FakeCameras.withCameras(["video0": Self.camera]) { cameras in
      let station = try Station(scratch, devices: cameras.folder, Self.settings)
      try station.waitUntilDone(3)
      let source = try #require(station.source)
      station.send(SIGKILL)
      #expect(station.wait() == -SIGKILL)
      for _ in 0..<1000 where !isGone(source) { usleep(20_000) }
      #expect(isGone(source))
      #expect(try controls(cameras) == Self.standing)
      try expectWholeFiles()
    }
  }

  @Test("a camera process that hangs in its camera is ended with the run")
  func hanging() throws {
    let camera = Self.camera + "fault stall@30*\n"
    try FakeCameras.withCameras(["video0": camera]) { cameras in
      let station = try Station(
        scratch,
        devices: cameras.folder,
        Self.settings + "\ntimeout = 600"
      )
      try station.waitUntilDone(1)
      usleep(500_000)
      station.send(SIGTERM)
      #expect(station.wait() == 130)
      #expect(try controls(cameras) == Self.standing)
    }
  }

  @Test("a camera that is unplugged in a run and comes back loses no picture")
  func unplugged() throws {
    let camera = Self.camera + "fault unplug@12\nback 700\n"
    try FakeCameras.withCameras(["video0": camera]) { cameras in
      let station = try Station(
        scratch,
        devices: cameras.folder,
        "count = 15\ncontrols = { brightness = 20 }\nreconnect = 30"
      )
      #expect(station.wait() == 0)
      let events = try station.events
      #expect(events.count == 15 && events.allSatisfy { $0.status == "done" })
      let returned = events.filter { $0.notes.contains { $0.code == "device-returned" } }
      #expect(returned.count == 1)
      #expect(try controls(cameras) == Self.standing)
    }
  }

  @Test("a camera that stays away fails the run, and the pictures so far are safe")
  func gone() throws {
    let camera = Self.camera + "fault unplug@12\n"
    try FakeCameras.withCameras(["video0": camera]) { cameras in
      let station = try Station(scratch, devices: cameras.folder, "count = 50\nreconnect = 0.5")
      #expect(station.wait() == 1)
      let events = try station.events
      let failed = events.filter { $0.status == "failed" }
      #expect(failed.map { $0.error?.code } == ["device-missing"])
      #expect(events.count > 1)
      for event in events where event.status == "done" {
        let path = scratch.path.appending("out").appending(event.outputs[0].path)
        #expect(path.isReadableFile)
      }
    }
  }
}
