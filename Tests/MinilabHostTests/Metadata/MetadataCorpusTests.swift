import MinilabKit
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Pictures that cameras and programs have written.
@Suite(
  "Metadata of real pictures",
  .vips,
  .exiftool,
  .enabled(if: Corpus.isThere, "the corpus is not here")
)
struct MetadataCorpusTests {
  /// Every file of the corpus in which exiftool finds a place.
  private static let places = [
    "exif-odd/pillow/iptc.jpg", "exif-odd/pillow/iptc_roundUp.jpg", "exif-odd/pillow/exif_gps.jpg",
    "avif/libavif/paris_icc_exif_xmp.avif", "exif-gps/exif-samples/DSCN0025.jpg",
    "exif-gps/exif-samples/DSCN0010.jpg", "exif-gps/exif-samples/DSCN0012.jpg",
    "exif-gps/exif-samples/DSCN0021.jpg", "exif-camera/exif-samples/Kodak_CX7530.jpg",
    "exif-camera/exif-samples/long_description.jpg", "heif/pypi-pillow_heif/empty_icc.heic",
    "orient-jpeg/metadata-extractor/Apple iPhone 5.jpg", "tiff/deb-tiff/custom_dir_EXIF_GPS.tiff",
    "hdr-gainmap/libavif/seine_sdr_gainmap_srgb.jpg",
  ]
  private static let formats = ["jpeg", "png", "webp", "tiff", "avif", "jxl"]
  private static let kept = [
    "-exif:datetimeoriginal", "-exif:make", "-exif:model", "-exif:copyright", "-exif:artist",
    "-xmp-dc:rights", "-xmp-dc:creator",
  ]

  @Test("without the place: none survives in any container; date, camera and copyright do")
  func noLocation() throws {
    let sample = try MetadataSample()
    let steps = "[[step]]\nop = \"orient\"\n[[step]]\nop = \"thumbnail-preview\"\nmax-side = 64\n"
    let bench = try Workbench(
      "[input]\nformats = \"all\"\nmax-pixels = 100_000_000\n" + steps
        + Self.formats.map {
          "[[output]]\nname = \"\($0)\"\nformat = \"\($0)\"\nmetadata = \"no-location\"\n"
        }
        .joined()
    )
    let before = try sample.places(ofEach: Self.places.map(Corpus.path.appending))
    for (name, places) in zip(Self.places, before) { #expect(places != [], "\(name)") }
    for name in Self.places {
      let file = Corpus.path.appending(name)
      let outcome = try bench.process(file)
      _ = try outcome.bytes()
      // A second value is that of a smaller picture in the file.
      var names: Set<Substring> = []
      let wanted = try sample.tags(file, Self.kept)
        .filter { tag in names.insert(tag.prefix { $0 != ":" }).inserted }
      let places = try sample.places(ofEach: outcome.files)
      let kept = try sample.tags(ofEach: outcome.files, Self.kept)
      for (index, format) in Self.formats.enumerated() {
        #expect(places[index] == [], "\(name) \(format)")
        let found = Set(kept[index])
        #expect(Set(wanted).isSubset(of: found), "\(name) \(format): \(wanted) \(found)")
      }
    }
  }

  @Test("the same in copies of untouched pictures")
  func copies() throws {
    let sample = try MetadataSample()
    let bench = try Workbench(
      "[[output]]\nname = \"same\"\nmetadata = \"no-location\"\ncolor = \"keep\"\n"
    )
    for name in Self.places where name.hasSuffix(".jpg") {
      let file = Corpus.path.appending(name)
      let outcome = try bench.process(file)
      _ = try outcome.bytes()
      #expect(outcome.noteCodes.contains(.copied), "\(name)")
      #expect(try sample.places(outcome.files[0]) == [], "\(name)")
      let wanted = Set(try sample.tags(file, Self.kept))
      #expect(wanted.isSubset(of: Set(try sample.tags(outcome.files[0], Self.kept))), "\(name)")
    }
  }
}
