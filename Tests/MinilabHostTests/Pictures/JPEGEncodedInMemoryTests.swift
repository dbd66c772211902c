import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("A JPEG encoded in the calling thread is what libvips' saver writes", .vips)
struct JPEGEncodedInMemoryTests {
  private static let encoders: [JPEGEncoder] = {
    var listed: [JPEGEncoder] = []
    for quality in [1, 40, 82, 89, 90, 100] { listed.append(JPEGEncoder().with(quality: quality)) }
    for subsampling in JPEGEncoder.Subsampling.allCases {
      listed.append(JPEGEncoder().with(\.subsampling, subsampling))
      listed.append(JPEGEncoder().with(quality: 95).with(\.subsampling, subsampling))
    }
    listed.append(JPEGEncoder().with(\.optimize, true))
    listed.append(JPEGEncoder().with(\.progressive, true))
    listed.append(
      JPEGEncoder().with(\.progressive, true).with(quality: 93).with(\.optimize, true)
    )
    return listed
  }()

  /// What libvips writes; its EXIF, which tells the resolution alone, taken away.
  private func wanted(_ image: Image, _ encoder: JPEGEncoder, strip: Bool) throws -> [UInt8] {
    let bytes = try image.encoded(
      .jpeg,
      encoder.arguments(for: image) + [.init("strip", .bool(strip))]
    )
    let isEXIF = bytes[2] == 0xff && bytes[3] == 0xe1
    guard isEXIF else { return bytes }
    return [0xff, 0xd8] + bytes[(4 + Int(bytes[4]) << 8 + Int(bytes[5]))...]
  }

  @Test("to the last byte, with each option and every remainder of a size")
  func same() throws {
    for encoder in Self.encoders {
      for (width, height) in [(1, 1), (7, 3), (16, 16), (33, 17), (8, 200), (120, 91)] {
        for bands in [1, 3] {
          let image = try NaivePicture.synthetic(width, height, bands: bands).image()
          let made = try #require(try encoder.encodedInMemory(image))
          let isSame = try made == wanted(image, encoder, strip: true)
          #expect(isSame, "\(width) × \(height), \(bands) bands, \(encoder)")
        }
      }
    }
  }

  @Test("with its color profile, also one that one segment cannot hold")
  func profiles() throws {
    let long = ICCProfile.sRGB.bytes + [UInt8](repeating: 7, count: 140_000)
    for profile in [ICCProfile.sRGB.bytes, long] {
      let image = try NaivePicture.synthetic(40, 30, bands: 3).image().copy()
      image.set("icc-profile-data", blob: profile)
      let made = try #require(try JPEGEncoder().encodedInMemory(image))
      #expect(try made == wanted(image, JPEGEncoder(), strip: false))
    }
  }

  @Test("pixels that are still to be computed are computed")
  func pipeline() throws {
    let image = try NaivePicture.synthetic(40, 30, bands: 3).image().rotate(quarterTurns: 1)
    let made = try #require(try JPEGEncoder().encodedInMemory(image))
    #expect(try made == wanted(image, JPEGEncoder(), strip: true))
  }

  @Test("what libjpeg alone does not know is left to libvips: inks, depth, transparency, Lab")
  func unusual() throws {
    let image = try NaivePicture.synthetic(20, 10, bands: 3).image()
    let deep = try image.call("cast", [.init("format", .enumeration("ushort"))], input: "in")
    #expect(try JPEGEncoder().encodedInMemory(deep) == nil)
    #expect(try JPEGEncoder().encodedInMemory(image.copy(interpretation: .lab)) == nil)
    let four = try NaivePicture.synthetic(20, 10, bands: 4).image()
    #expect(try JPEGEncoder().encodedInMemory(four) == nil)
    #expect(try JPEGEncoder().encodedInMemory(four.copy(interpretation: .cmyk)) == nil)
    #expect(try JPEGEncoder().with(\.trellis, true).encodedInMemory(image) == nil)
  }
}
