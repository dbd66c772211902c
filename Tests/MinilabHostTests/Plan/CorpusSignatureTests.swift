import Glibc
import MinilabKit
import Testing

@testable import MinilabHost

/// A folder of pictures from many sources with a table of what other programs take them for.
///
/// It is no part of the project.
private let corpus: Path = {
  var package = Path(#filePath)
  for _ in 0..<4 { package = package.folder }
  return package.folder.appending("shared/corpus")
}()

private let hasCorpus = corpus.appending("MANIFEST.tsv").isReadableFile

private struct Row {
  let file: String
  let loader: String
  let filetype: String
}

private func read(_ path: Path, most: Int) throws -> [UInt8] {
  Array(try #require(System.contents(of: path, atMost: most)).prefix(most))
}

private func rows() throws -> [Row] {
  let table = String(
    decoding: try read(corpus.appending("MANIFEST.tsv"), most: 1 << 22),
    as: UTF8.self
  )
  return table.split(separator: "\n").dropFirst().map { line in
    let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    return Row(file: cells[0], loader: cells[14], filetype: cells[20])
  }
}

private let loaders: [String: PictureFormat] = [
  "jpegload": .jpeg, "pngload": .png, "gifload": .gif, "webpload": .webp, "tiffload": .tiff,
  "svgload": .svg, "pdfload": .pdf, "jp2kload": .jp2k, "jxlload": .jxl, "ppmload": .pnm,
  "radload": .hdr, "openexrload": .exr, "fitsload": .fits,
]

/// What exiftool calls a format, where libvips has no loader of its own or refuses the file.
private let filetypes: [String: PictureFormat] = [
  "JPEG": .jpeg, "PNG": .png, "GIF": .gif, "TIFF": .tiff, "HEIC": .heif, "HEIF": .heif,
  "AVIF": .avif, "SVG": .svg, "JP2": .jp2k, "JXL": .jxl, "JXL Codestream": .jxl, "BMP": .bmp,
  "ICO": .ico, "CUR": .ico, "PSD": .psd,
]

/// Where neither of the two is right, or says nothing.
private let exceptions: [String: FileContent] = [
  // Numbers that are none.
  "corrupt/deb-gdk-pixbuf/invalid.6.ppm": .noPicture,
  // Eight bytes.
  "corrupt/deb-gdk-pixbuf/bug778204.ico": .noPicture,
  // Other formats, through libMagick or a JPEG inside.
  "other/libvips/silicongraphics.sgi": .noPicture,
  "other/sharp/vfile.v": .noPicture,
  // Formats that exiftool does not know or takes for others.
  "avif/pillow/star.avifs": .picture(.avif),
  "corrupt/deb-gdk-pixbuf/overflow.tga": .picture(.tga),
  "corrupt/deb-gdk-pixbuf/invalid.1.xpm": .picture(.xpm),
  "corrupt/deb-gdk-pixbuf/issue-95-too-short.xpm": .picture(.xpm),
  "corrupt/deb-gdk-pixbuf/valid.1.xpm": .picture(.xpm),
  "other/libvips/targa.tga": .picture(.tga),
  "other/pillow/hopper.dds": .picture(.dds),
  "other/pillow/hopper.xpm": .picture(.xpm),
  "svg-dimensions/librsvg/bug614018.svg": .picture(.svg),
  "svg-hostile/librsvg/bug463-characters-outside-first-element.svg": .picture(.svg),
  "svg/twelvemonkeys/red-square.svg": .picture(.svg),
]

private func expected(_ row: Row) -> FileContent {
  if let exception = exceptions[row.file] { return exception }
  if row.file.hasPrefix("orient-tga/"), row.file.hasSuffix(".tga") { return .picture(.tga) }
  // Brands of HEIF in what is broken further on.
  if row.file.hasPrefix("corrupt/deb-libheif/"), row.filetype == "MP4" { return .picture(.heif) }
  if row.loader == "heifload" { return .picture(row.filetype.hasPrefix("AVI") ? .avif : .heif) }
  return (loaders[row.loader] ?? filetypes[row.filetype]).map { .picture($0) } ?? .noPicture
}

@Test(
  "The signature table agrees with libvips and exiftool over the corpus",
  .enabled(if: hasCorpus, "the corpus is not beside the project")
)
func corpusIsTold() throws {
  let rows = try rows()
  #expect(rows.count > 800)
  for row in rows {
    let bytes = try read(corpus.appending(row.file), most: FileContent.headLength)
    let fileExtension = Path(row.file).fileExtension.text ?? ""
    let found = FileContent(of: Head(bytes[...]), extension: fileExtension.lowercased())
    #expect(found == expected(row), "\(row.file): \(row.loader), \(row.filetype)")
  }
}
