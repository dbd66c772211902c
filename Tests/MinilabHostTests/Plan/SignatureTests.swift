import MinilabKit
import Testing

@testable import MinilabHost

private func content(_ bytes: [UInt8], _ fileExtension: String = "") -> FileContent {
  FileContent(of: Head(bytes[...]), extension: fileExtension)
}

private let text = SampleBytes.text
private let ftyp = SampleBytes.ftyp

/// Samples, each with the only extension it needs.
private let pictures: [(format: PictureFormat, bytes: [UInt8], fileExtension: String)] = [
  (.jpeg, SampleBytes.jpeg, ""),
  (.jpeg, SampleBytes.jpeg, "nef"),
  (.jpeg, SampleBytes.jpeg, "dng"),
  // Junk between the markers, as some phones write it.
  (.jpeg, [0xff, 0xd8, 0, 1, 2, 0xff, 0xe0], "jpg"),
  (.png, SampleBytes.png, ""),
  (.png, SampleBytes.png, "jpg"),
  (.gif, text("GIF87a") + [1, 0, 1, 0], ""),
  (.gif, text("GIF89a") + [1, 0, 1, 0], ""),
  (.webp, text("RIFF") + [26, 0, 0, 0] + text("WEBPVP8L"), ""),
  (.webp, text("RIFF") + [26, 0, 0, 0] + text("WEBPVP8 "), ""),
  (.webp, text("RIFF") + [26, 0, 0, 0] + text("WEBPVP8X"), ""),
  (.tiff, SampleBytes.tiff, ""),
  (.tiff, [0x4d, 0x4d, 0, 42, 0, 0, 0, 8], "tif"),
  (.tiff, [0x49, 0x49, 43, 0, 8, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0], ""),
  (.tiff, [0x4d, 0x4d, 0, 43, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16], ""),
  (.heif, ftyp("heic", "mif1", "heic"), ""),
  (.heif, ftyp("heix", "mif1"), ""),
  (.heif, ftyp("mif1", "heic"), ""),
  (.heif, ftyp("mif1"), ""),
  (.heif, ftyp("msf1", "hevc"), ""),
  (.heif, ftyp("hevc"), ""),
  (.avif, ftyp("avif", "mif1", "miaf"), ""),
  (.avif, ftyp("avis", "msf1"), ""),
  (.avif, ftyp("mif1", "miaf", "avif"), ""),
  (.svg, SampleBytes.svg, ""),
  (.svg, [0xef, 0xbb, 0xbf] + text("\r\n <svg>"), "jpg"),
  (.svg, text("<?xml version=\"1.0\"?>\n<!-- a > b -->\n<!-- c -->\n<svg/>"), ""),
  (
    .svg, text("<?xml version=\"1.0\"?><!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" [ <!EN"), ""
  ),
  (.svg, text("<svg:svg xmlns:svg='http://www.w3.org/2000/svg'>"), ""),
  (.svg, text("<ns0:svg xmlns:ns0='http://www.w3.org/2000/svg'>"), ""),
  (.svg, [0x1f, 0x8b, 0x08, 0], "svgz"),
  (.pdf, text("%PDF-1.7\n"), ""),
  (.pdf, text("junk of a mailer\n%PDF-2.0\n"), ""),
  (.jp2k, [0, 0, 0, 12] + text("jP  \r\n") + [0x87, 0x0a], ""),
  (.jp2k, [0xff, 0x4f, 0xff, 0x51, 0, 41], ""),
  (.jxl, [0xff, 0x0a, 0xfa, 0x1f], ""),
  (.jxl, [0, 0, 0, 12] + text("JXL \r\n") + [0x87, 0x0a], ""),
  (.pnm, text("P1\n2 2\n0 1 1 0"), ""),
  (.pnm, text("P2 2 2 255 0"), ""),
  (.pnm, text("P3\n# made by hand\n2 2\n255\n0"), ""),
  (.pnm, text("P4\n8 1\n") + [0xaa], ""),
  (.pnm, text("P5#c\n2 2\n65535\n") + [0], ""),
  (.pnm, text("P6\n2 2\n255\n") + [0], ""),
  (.pnm, text("P6#foo\n#foo\n10 10#foo\n \t#foo 44\n255\n"), ""),
  (.pnm, text("P7\nWIDTH 2\nHEIGHT 2\nDEPTH 1\nMAXVAL 255\nENDHDR\n"), ""),
  (.pnm, text("PF\n2 2\n-1.0\n"), ""),
  (.pnm, text("Pf\n2 2\n1.0\n"), ""),
  (.hdr, text("#?RADIANCE\n# c\n"), ""),
  (.hdr, text("#?RGBE\n"), ""),
  (.bmp, SampleBytes.bmp, ""),
  (.tga, SampleBytes.tga, "tga"),
  (.ico, SampleBytes.icon, ""),
  (.ico, [0, 0, 2] + SampleBytes.icon[3...], "cur"),
  (.psd, text("8BPS") + [0, 1], ""),
  (.psd, text("8BPS") + [0, 2], ""),
  (.dds, text("DDS ") + [124, 0, 0, 0], ""),
  (.xpm, text("/* XPM */\nstatic char *x[] = {"), ""),
  (.fits, text("SIMPLE  =                    T"), ""),
  (.exr, [0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0], ""),
]

@Test("Every format is told by its first bytes", arguments: pictures.indices)
func everyFormatIsTold(index: Int) {
  let sample = pictures[index]
  #expect(content(sample.bytes, sample.fileExtension) == .picture(sample.format))
}

@Test("There is a sample of every format")
func everyFormatHasASample() {
  #expect(Set(pictures.map(\.format)) == Set(PictureFormat.allCases))
}

private let others: [(what: String, bytes: [UInt8], fileExtension: String)] = [
  ("an empty file", [], "jpg"),
  ("a text", text("Dear all,\nP1 is the first item.\n"), "txt"),
  ("a text that begins with BM", text("BM is short for benchmark, and so on and on."), ""),
  ("a text that begins like PNM", text("P3 is faster than P2\n"), ""),
  ("an old thumbnail of xv", text("P7 332\n#IMGINFO:a"), ""),
  ("a table", text("name,width\na,10\n"), "csv"),
  ("a page with a drawing", text("<!DOCTYPE html><html><svg></svg></html>"), "html"),
  ("XML of another kind", text("<?xml version=\"1.0\"?><svgfoo/>"), "xml"),
  ("a drawing of another kind", text("<a:svgs/>"), "svg"),
  ("a comment without end", text("<!-- <svg>"), "svg"),
  ("a text that speaks of PDF", text("Files begin with %PDF-1.4 and end with %%EOF"), ""),
  ("PDF's name without a version", text("%PDF-x"), ""),
  ("EPS", text("%!PS-Adobe-3.0 EPSF-3.0\n"), "eps"),
  ("EPS with a preview", [0xc5, 0xd0, 0xd3, 0xc6, 30, 0, 0, 0], "eps"),
  ("a font", [0, 1, 0, 0, 0, 14, 0, 0x80, 0, 3, 0, 0x60], "ttf"),
  ("an OpenType font", text("OTTO") + [0, 14], "otf"),
  ("an archive", text("PK\u{3}\u{4}") + [20, 0], "zip"),
  ("a program", [0x7f] + text("ELF") + [2, 1, 1], ""),
  ("a script", text("#!/bin/sh\n"), "sh"),
  ("a film", ftyp("isom", "iso2", "avc1", "mp41"), "mp4"),
  ("a QuickTime film", ftyp("qt  ", "qt  "), "mov"),
  ("a film in mdat order", [0, 0, 0, 8] + text("wide") + [0, 0, 0, 9] + text("mdat"), "mov"),
  ("a sound", text("RIFF") + [36, 0, 0, 0] + text("WAVEfmt "), "wav"),
  ("an MPEG program stream", [0, 0, 1, 0xba, 0x44, 0, 4, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0], "mpg"),
  ("gzip", [0x1f, 0x8b, 0x08, 0], "gz"),
  ("TGA under another name", SampleBytes.tga, "bin"),
  ("a text called .tga", text("This is a text and long enough."), "tga"),
  ("zeros called .tga", Array(repeating: 0, count: 64), "tga"),
  ("QOI", text("qoif") + [0, 0, 0, 2], "qoi"),
  ("an AppleDouble stub", [0, 5, 0x16, 7, 0, 2, 0, 0] + text("Mac OS X        "), "jpg"),
  ("a database", text("SQLite format 3\0"), "db"),
  ("UTF-16 text", [0xff, 0xfe, 0x41, 0], "txt"),
  ("an MP3", [0xff, 0xfb, 0x90, 0x64], "mp3"),
  ("zeros", Array(repeating: 0, count: 64), "ico"),
]

@Test("What is no picture is told to be none", arguments: others.indices)
func othersAreNone(index: Int) {
  let sample = others[index]
  #expect(content(sample.bytes, sample.fileExtension) == .noPicture, "\(sample.what)")
}

@Test("Camera raw is raw, not the thumbnail it contains")
func rawIsRaw() {
  for fileExtension in ["nef", "cr2", "arw", "dng", "orf", "pef", "srw", "rw2", "raf"] {
    #expect(content(SampleBytes.tiff, fileExtension) == .raw)
    #expect(content(text("hello"), fileExtension) == .noPicture)
  }
  #expect(content(SampleBytes.tiff, "tif") == .picture(.tiff))
  #expect(content(SampleBytes.tiff, "") == .picture(.tiff))
  #expect(content(ftyp("crx ", "crx ", "isom"), "cr3") == .raw)
  #expect(content(text("FUJIFILMCCD-RAW 0201"), "raf") == .raw)
  #expect(content([0x49, 0x49, 0x55, 0, 0x18, 0, 0, 0], "rw2") == .raw)
  #expect(content(text("IIRO") + [8, 0, 0, 0], "orf") == .raw)
  // A CR2 says what it is under any name.
  #expect(content(SampleBytes.tiff + text("CR") + [2, 0], "tif") == .raw)
}

@Test("A file that ends anywhere within its first bytes is no trap")
func everyPrefixIsSafe() {
  for sample in pictures {
    for length in 0..<sample.bytes.count {
      _ = content(Array(sample.bytes[..<length]), sample.fileExtension)
    }
    #expect(content(Array(sample.bytes.prefix(1)), "") == .noPicture)
  }
}

@Test("Where the bytes lie in a larger buffer makes no difference")
func slicesCountFromTheirStart() {
  for sample in pictures {
    let shifted = [1, 2, 3] + sample.bytes
    #expect(
      FileContent(of: Head(shifted[3...]), extension: sample.fileExtension)
        == .picture(sample.format)
    )
  }
}
