import MinilabHost
import MinilabKit
import Testing

@testable import CaptureOperation

@Suite("Parameters of capture")
struct ParameterTests {
  /// Where each is shown to do something.
  private static let shown = [
    "device": "DeviceTests.names", "front": "DeviceTests.facing", "back": "DeviceTests.facing",
    "reconnect": "DeviceTests.lost", "preset": "TestDeviceTests.preset",
    "size": "TestDeviceTests.size", "pixel-format": "TestDeviceTests.pixelFormats",
    "flash": "DeviceTests.settings", "require-flash": "DeviceTests.missing",
    "zoom": "DeviceTests.zoom", "max-zoom": "TestDeviceTests.zoom",
    "exposure": "DeviceTests.settings", "focus": "DeviceTests.settings",
    "white-balance": "DeviceTests.settings", "controls": "DeviceTests.settings",
    "held": "TestDeviceTests.held", "mirror": "TestDeviceTests.held",
    "warm-up": "TestDeviceTests.warmUp", "timeout": "DeviceTests.stalls",
    "count": "TestDeviceTests.count", "interval": "TestDeviceTests.burst",
    "burst": "TestDeviceTests.burst",
  ]

  @Test("each of them is in the list of what is tested where")
  func complete() {
    #expect(Set(Capture.parameters.map(\.name)) == Set(Self.shown.keys))
  }

  @Test("settings are read and written as a profile has them")
  func settings() throws {
    let capture = try Trial.operation(
      Capture.self,
      """
      exposure = "auto"
      focus = 12
      white-balance = 5000
      controls = { gain = 3, sharp = true, power_line_frequency = "50 Hz" }
      """
    )
    #expect(capture.exposure?.literal == "\"auto\"")
    #expect(capture.focus?.literal == "12")
    #expect(
      capture.controls.literal == "{ gain = 3, power_line_frequency = \"50 Hz\", sharp = true }"
    )
    #expect(Capture().controls.literal == "{}")
  }

  @Test(
    "what no camera understands is refused where it is written",
    arguments: [
      "focus = \"near\"", "exposure = true", "controls = 3", "controls = { gain = 0.5 }",
      "controls = { gain = [1] }", "size = [640]", "held = \"upside-down\"",
    ]
  )
  func refused(_ toml: String) {
    #expect(throws: Problems.self) { try Trial.operation(Capture.self, toml) }
  }

  @Test("a run without a sign of life is given up in a time that fits what was asked for")
  func silence() throws {
    let quick = try Trial.operation(Capture.self, "timeout = 1\nwarm-up = 0\nreconnect = 0")
    let slow = try Trial.operation(Capture.self, "interval = 3600")
    #expect(quick.longestSilence == .seconds(40))
    #expect(try #require(slow.longestSilence) > .seconds(3600))
  }
}
