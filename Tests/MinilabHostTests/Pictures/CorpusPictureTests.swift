import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Real files whose right pictures are known.
@Suite(
  "Pictures of the corpus look right",
  .enabled(if: Corpus.isThere, "there is no corpus of pictures beside the package"),
  .vips
)
struct CorpusPictureTests {
  /// Upright, as PNG.
  private let bench: Workbench

  init() throws {
    bench = try Workbench(
      """
      [input]
      formats = "all"
      [[step]]
      op = "orient"
      [[output]]
      format = "png"
      """
    )
  }

  private func made(_ file: String) throws -> NaivePicture {
    try bench.process(Corpus.path.appending(file)).picture()
  }

  /// What is made of a file, reduced to compare it with others of its kind; and its size before.
  private func small(_ file: String) throws -> (picture: NaivePicture, size: Size) {
    let image = try bench.process(Corpus.path.appending(file)).image()
    let factor = max(1, max(image.width, image.height) / 200)
    return (
      try NaivePicture(image.shrink(factor, factor)), Size(width: image.width, height: image.height)
    )
  }

  @Test("JPEG: nine orientations of one photo", arguments: 0...8)
  func landscape(_ tag: Int) throws {
    let folder = "orient-jpeg/exif-orientation-examples"
    let turned = try small("\(folder)/Landscape_\(tag).jpg")
    #expect(turned.size == Size(width: 1800, height: 1200))
    let first = try small("\(folder)/Landscape_1.jpg")
    #expect(turned.picture.meanDifference(from: first.picture) < 4)
  }

  @Test("JPEG and WebP: eight orientations of one portrait", arguments: 2...8)
  func hopper(_ tag: Int) throws {
    for (folder, ending, bound) in [("orient-jpeg", "jpg", 5.0), ("orient-webp", "webp", 3)] {
      let first = try made("\(folder)/pillow/hopper.\(ending)")
      let turned = try made("\(folder)/pillow/hopper_orientation_\(tag).\(ending)")
      #expect(turned.size == Size(width: 128, height: 128))
      #expect(turned.meanDifference(from: first) < bound, "\(folder)")
    }
  }

  @Test("TIFF: eight orientations of a fax", arguments: 1...8)
  func fax(_ tag: Int) throws {
    let first = try made("orient-tiff/pillow/g4_orientation_1.tif")
    let turned = try made("orient-tiff/pillow/g4_orientation_\(tag).tif")
    #expect(turned.size == Size(width: 590, height: 88))
    #expect(turned.meanDifference(from: first) < 0.7)
  }

  @Test("PNG: the same pixels under every tag are turned as it says", arguments: 0...8)
  func chunks(_ number: Int) throws {
    let stored = try made("orient-png/imgproxy/orientation-0.png")
    // The file that is called 1 says 3.
    let tag = number == 1 ? 3 : number
    let turned = try made("orient-png/imgproxy/orientation-\(number).png")
    #expect(turned.greatestDifference(from: stored.turned(byTag: tag)) == 0)
  }

  @Test("sizes of turned photos of cameras and containers")
  func sizes() throws {
    let sizes: [(String, Int, Int)] = [
      ("orient-jpeg/libavif/paris_exif_orientation_5.jpg", 302, 403),
      ("orient-jpeg/metadata-extractor/Canon PowerShot A85.jpg", 2272, 1704),
      ("orient-jpeg/metadata-extractor/Apple iPhone 5.jpg", 3264, 2448),
      ("orient-jpeg/exif-samples/canon_hdr_NO.jpg", 1536, 2048),
      ("orient-heif/pypi-pillow_heif/arrow.heic", 3024, 4032),
      ("orient-heif/avif-sample-images/kimono.mirror-horizontal.avif", 722, 1024),
      ("orient-heif/libavif/abc_color_irot_alpha_irot.avif", 256, 512),
    ]
    for (file, width, height) in sizes {
      let result = try bench.process(Corpus.path.appending(file)).result
      let output = try #require(result.outputs.first, "\(file): \(result.error?.text ?? "")")
      let size = Size(width: output.width, height: output.height)
      #expect(size == Size(width: width, height: height), "\(file)")
    }
  }

  @Test("AVIF: what the container turns is upright, and not turned again")
  func containers() throws {
    let first = try small("orient-heif/pillow/rot0mir0.avif").picture
    for rotation in 0...3 {
      for mirror in 0...1 {
        let file = "orient-heif/pillow/rot\(rotation)mir\(mirror).avif"
        let turned = try small(file)
        #expect(turned.size == Size(width: 640, height: 427), "\(file)")
        #expect(turned.picture.meanDifference(from: first) < 8, "\(file)")
      }
    }
    let kimono = try small("orient-heif/avif-sample-images/kimono.jpg").picture
    let mirrored = try small("orient-heif/avif-sample-images/kimono.mirror-horizontal.avif").picture
    #expect(mirrored.meanDifference(from: kimono) < 8)
  }

  @Test("TGA: every origin of true color and gray equals its reference")
  func origins() throws {
    for kind in ["24bpp", "32bpp", "gray-8bpp"] {
      for corner in ["bottom-left", "bottom-right", "top-left", "top-right"] {
        let file = "orient-tga/deb-gdk-pixbuf/gtk-logo-\(kind)-\(corner).tga"
        let turned = try made(file)
        let reference = try made(file + ".ref.png")
        #expect(turned.bands == reference.bands, "\(file)")
        #expect(turned.greatestDifference(from: reference) == 0, "\(file)")
      }
    }
  }

  @Test("the first frame of an animation, in full colors")
  func frames() throws {
    let cogs = try made("gif/libvips/cogs.gif")
    #expect(cogs.size == Size(width: 85, height: 77))
    // The frames of this file, one below the other.
    let frames = try made("gif/libvips/cogs.png")
    let wanted = NaivePicture(width: 85, height: 77, bands: cogs.bands) { x, y, band in
      frames[x, y, band]
    }
    #expect(cogs.greatestDifference(from: wanted) == 0)
  }

  @Test("gray TGA with alpha would be misread, and is refused")
  func misreadTGA() throws {
    let file = "orient-tga/deb-gdk-pixbuf/gtk-logo-gray-16bpp-top-left.tga"
    #expect(try bench.process(Corpus.path.appending(file)).result.error?.code == .unsupported)
  }

  @Test("single pixels that libvips' own tests know")
  func pixels() throws {
    let keeping = try Workbench(
      "[input]\nformats = \"all\"\n[[output]]\nformat = \"png\"\ncolor = \"keep\""
    )
    let known: [(file: String, x: Int, y: Int, level: [Double], within: Double)] = [
      ("jpeg-odd/libvips/sample.jpg", 10, 10, [141, 127, 90], 3),
      ("png-other/libvips/sample.png", 10, 10, [38_671, 33_914, 26_762], 0),
      ("tiff/libvips/sample.tif", 10, 10, [38_671, 33_914, 26_762], 0),
      ("webp/libvips/1.webp", 10, 10, [71, 166, 236], 2),
      ("gif/libvips/cramps.gif", 10, 10, [33, 33, 33], 0),
      ("other/libvips/world.jp2", 402, 73, [141, 144, 73], 2),
    ]
    for (file, x, y, level, within) in known {
      let picture = try keeping.process(Corpus.path.appending(file)).picture()
      let difference = zip(picture.pixel(x, y), level).map { abs($0 - $1) }.max() ?? 255
      #expect(difference <= within, "\(file): \(picture.pixel(x, y))")
    }
  }

  @Test("a profile with one table alone is used: the colors are those of LittleCMS")
  func oneTable() throws {
    let made = try made("icc-jpeg/pillow/icc_profile_big.jpg")
    let difference = zip(made.pixel(100, 50), [0, 60, 137]).map { abs($0 - $1) }.max() ?? 255
    #expect(difference <= 4, "\(made.pixel(100, 50))")
  }

  @Test("a PFM, whose rows go from bottom to top, stands upright")
  func bottomUp() throws {
    let portrait = try made("other/pillow/hopper.pfm")
    let upright = try made("orient-jpeg/pillow/hopper.jpg")
    // Seen in gray by the weights of ITU-R BT.601, as it was made.
    let gray = NaivePicture(width: 128, height: 128, bands: 1) { x, y, _ in
      0.299 * upright[x, y, 0] + 0.587 * upright[x, y, 1] + 0.114 * upright[x, y, 2]
    }
    #expect(portrait.meanDifference(from: gray) < 6)
  }

  @Test("loaders that open a file by its name decode all of it: EXR, FITS, JPEG XL of floats")
  func byName() throws {
    for file in [
      "other/image-rs/overexposed gradient - data window equals display window.exr",
      "other/pillow/hopper.fits", "other/libvips/sample.hdr",
    ] {
      #expect(try bench.process(Corpus.path.appending(file)).result.error == nil, "\(file)")
    }
    for kind in ["gray", "truecolor"] {
      let folder = "jxl/deb-graphicsmagick"
      let float = try made("\(folder)/input_\(kind)_16f.jxl")
      let bytes = try made("\(folder)/input_\(kind)_08.jxl")
      let scaled = NaivePicture(width: float.width, height: float.height, bands: float.bands) {
        float[$0, $1, $2] / 257
      }
      #expect(scaled.meanDifference(from: bytes) < 4, "\(kind)")
    }
  }
}
