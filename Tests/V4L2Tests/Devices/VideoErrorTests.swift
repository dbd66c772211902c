import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import V4L2

@Suite struct VideoErrorTests {
  private let reasons: [VideoError.Reason] = [
    .notFound(instead: []), .notFound(instead: ["Cam (/dev/video0)"]), .ambiguous(["a", "b", "c"]),
    .noPermission, .busy(by: []), .busy(by: [.init(process: 42, name: "cheese")]), .notVideo,
    .notCamera, .noSuchFormat(offered: []), .noSuchFormat(offered: ["mjpeg", "yuyv"]),
    .timeout(milliseconds: 1500), .bandwidth, .unplugged, .streamFailed, .interrupted,
    .noSuchControl("gian", nearest: "gain"), .noSuchControl("x", nearest: nil),
    .readOnlyControl("gain"), .inactiveControl("gain"), .heldControl("gain"),
    .valueOutOfRange("gain", value: "9", allowed: "0 to 5"), .failed(call: "open", number: 5),
  ]

  @Test func `Every error is one sentence that says what to do`() {
    for reason in reasons where reason != .interrupted {
      let text = VideoError("/dev/video0", reason).text
      #expect(text.contains(";"), "\(text) gives no advice")
      #expect(!text.hasSuffix(".") && !text.contains("\n"), "\(text)")
      #expect(!text.contains("Reason") && !text.contains("Optional"), "\(text)")
    }
  }

  @Test func `Errors name what helps`() {
    func text(_ reason: VideoError.Reason) -> String {
      VideoError("/dev/video0", reason).description
    }
    #expect(
      text(.busy(by: [.init(process: 42, name: "cheese"), .init(process: 43, name: "vlc")]))
        == "/dev/video0: the camera is in use by cheese (process 42) and vlc (process 43);"
        + " end it and try again"
    )
    #expect(text(.noPermission).contains("group video"))
    #expect(text(.timeout(milliseconds: 1500)).contains("1.5 s"))
    #expect(text(.timeout(milliseconds: 5000)).contains("5 s"))
    #expect(text(.noSuchControl("gian", nearest: "gain")).contains("did you mean gain?"))
    #expect(text(.ambiguous(["a", "b", "c"])).contains("a, b and c"))
  }

  @Test func `Who has a device open is told from the list of processes`() throws {
    let scratch = try ScratchFolder()
    let device = try scratch.write("", to: "video0").shown
    let text = scratch.text
    for (process, name) in [("41", "cheese\n"), ("7", "vlc\n"), ("99", "idle\n")] {
      try scratch.write(name, to: "proc/\(process)/comm")
      try scratch.write("", to: "proc/\(process)/fd/0")
    }
    try scratch.write("", to: "proc/meminfo")
    for process in ["41", "7"] {
      #expect(symlink(device, "\(text)/proc/\(process)/fd/5") == 0)
    }
    #expect(symlink("\(device)x", "\(text)/proc/99/fd/5") == 0)
    // By a link to the device, as by-id names are.
    #expect(symlink(device, "\(text)/link") == 0)
    #expect(
      Holders.find(of: "\(text)/link", proc: "\(text)/proc")
        == [.init(process: 7, name: "vlc"), .init(process: 41, name: "cheese")]
    )
    #expect(Holders.find(of: "\(text)/nothing", proc: "\(text)/proc") == [])
    #expect(Holders.find(of: device, proc: "\(text)/none") == [])
  }
}
