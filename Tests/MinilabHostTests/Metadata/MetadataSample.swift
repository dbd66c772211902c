import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

/// A picture with everything that metadata policies are about, and exiftool to look at results.
struct MetadataSample {
  let folder: ScratchFolder
  let exiftool: Program

  init() throws {
    folder = try ScratchFolder()
    exiftool = try #require(Program.exiftool)
  }

  static let place: [String] = [
    "-EXIF:GPSLatitude=43.4", "-EXIF:GPSLatitudeRef=N", "-EXIF:GPSLongitude=11.8",
    "-EXIF:GPSLongitudeRef=E", "-XMP-exif:GPSLatitude=43.4", "-XMP-exif:GPSLongitude=11.8",
    "-XMP-photoshop:City=Lieu1", "-XMP-photoshop:State=Lieu2", "-XMP-photoshop:Country=Lieu3",
    "-XMP-iptcCore:Location=Lieu4", "-XMP-iptcCore:CountryCode=LIE",
    "-XMP-iptcExt:LocationShown={City=Lieu5}", "-XMP-iptcExt:LocationCreated={City=Lieu6}",
    "-IPTC:City=Lieu7", "-IPTC:Sub-location=Lieu8", "-IPTC:Province-State=Lieu9",
    "-IPTC:Country-PrimaryLocationName=Lieu10", "-IPTC:Country-PrimaryLocationCode=LIE",
    "-IPTC:ContentLocationName=Lieu11",
  ]
  static let others: [String] = [
    "-EXIF:Make=Maker", "-EXIF:Model=Camera", "-EXIF:DateTimeOriginal=2020:01:02 03:04:05",
    "-EXIF:Artist=José Ñandú", "-EXIF:Copyright=© Ærø", "-EXIF:ExifImageWidth=64",
    "-EXIF:ExifImageHeight=48", "-EXIF:Orientation#=6", "-XMP-tiff:Orientation#=6",
    "-XMP-exif:ExifImageWidth=64", "-XMP-dc:Rights=© Ærø", "-XMP-dc:Creator=José Ñandú",
    "-XMP-xmp:CreateDate=2020:01:02 03:04:05", "-IPTC:By-line=Jos", "-IPTC:CopyrightNotice=Notice",
    "-IPTC:Keywords=sea",
  ]

  /// Writes a file and tags it.
  func file(_ bytes: [UInt8], _ name: String, _ tags: [String] = others + place) throws -> Path {
    let path = try folder.write(bytes, to: name)
    let arguments = ["-q", "-m", "-overwrite_original", "-codedcharacterset=utf8"] + tags
    let result = try exiftool.run(arguments.map { Path($0) } + [path])
    try #require(result.status == 0, "\(result.errorText)")
    return path
  }

  /// Tags as exiftool prints them, one on a line: group, name, value.
  func tags(_ file: Path, _ wanted: [String] = []) throws -> [String] {
    try lines([file], wanted).map(Self.squeezed)
  }

  /// The same of each of at least two files, by one process: exiftool takes longer to start than to
  /// look.
  func tags(ofEach files: [Path], _ wanted: [String]) throws -> [[String]] {
    var found: [[String]] = []
    for line in try lines(files, wanted) {
      if line.hasPrefix("======== ") {
        found.append([])
      } else if line.hasPrefix("[") {
        found[found.count - 1].append(Self.squeezed(line))
      }
    }
    try #require(found.count == files.count)
    return found
  }

  private func lines(_ files: [Path], _ wanted: [String]) throws -> [Substring] {
    let format = ["-a", "-G1", "-s", "-n", "-m"]
    return try exiftool.run((format + wanted).map { Path($0) } + files).outputText
      .split(separator: "\n")
  }

  private static func squeezed(_ line: Substring) -> String {
    line.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
  }

  private static let anyPlace = [
    "-gps*", "-xmp:gps*", "-city", "-state", "-country*", "-location*", "-*location*",
    "-province*", "-sub-location", "-iptc:city",
    // Where in the picture its subject is.
    "--subjectlocation",
  ]

  /// What is left of any place.
  func places(_ file: Path) throws -> [String] { try tags(file, Self.anyPlace) }

  /// The same of each of at least two files.
  func places(ofEach files: [Path]) throws -> [[String]] {
    try tags(ofEach: files, Self.anyPlace)
  }
}

extension Trait where Self == ConditionTrait {
  /// exiftool judges.
  static var exiftool: Self {
    .enabled(if: Program.exiftool != nil, "exiftool is not installed")
  }
}
