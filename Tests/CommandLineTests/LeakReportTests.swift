import MinilabKit
import TestSupport
import Testing
import Vips

/// What libvips itself says is still alive when a worker ends.
@Suite("libvips' leak report")
struct LeakReportTests {
  @Test("Nothing is left, of pictures that were made and of pictures that failed", .vips)
  func nothingLeft() throws {
    let scratch = try ScratchFolder()
    try scratch.write(
      """
      profile = 1
      [[step]]
      op = "crop"
      aspect = "1:1"
      gravity = "attention"
      [[step]]
      op = "rotate"
      angle = 5
      [[output]]
      path = "{stem}-{output}.{ext}"
      name = "a"
      format = "webp"
      [[output]]
      path = "{stem}-{output}.{ext}"
      name = "b"
      format = "jpeg"
        [[output.step]]
        op = "thumbnail-preview"
        max-side = 40
      """,
      to: "p.toml"
    )
    let picture = try Sample.gradient(width: 200, height: 120)
    for (name, saver) in [
      ("a.jpg", "jpegsave_target"), ("b.png", "pngsave_target"), ("c.webp", "webpsave_target"),
      ("d.tif", "tiffsave_target"), ("e.gif", "gifsave_target"),
    ] {
      let target = try Target()
      try picture.save(saver, to: target)
      try scratch.write(target.bytes, to: "in/whole/\(name)")
      try scratch.write(Array(target.bytes.prefix(target.bytes.count / 2)), to: "in/half/\(name)")
    }
    let result = try Program.minilab.run(
      ["run", "./p.toml", "in/whole", "in/half", "-o", "out", "--set", "input.clash=number"]
        .map { Path($0) },
      in: scratch.path,
      environment: ["VIPS_LEAK": "1", "MINILAB_WORKER_STDERR": "inherit"]
    )
    #expect(result.status == 1)
    #expect(result.errorText.contains("memory: high-water mark"), "the report was not made")
    #expect(!result.errorText.contains("alive"), "\(result.errorText)")
  }
}
