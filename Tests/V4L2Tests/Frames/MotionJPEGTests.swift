import TestSupport
import Testing
import V4L2
import Vips

@Suite struct MotionJPEGTests {
  private func pattern(_ width: Int = 64, _ height: Int = 48) throws -> TestPattern {
    try #require(TestPattern(width: width, height: height))
  }

  private func whole(tables: Bool = true) throws -> [UInt8] {
    try pattern().frame(number: 9, as: .mjpeg, huffmanTables: tables).bytes
  }

  private func place(of marker: UInt8, in bytes: [UInt8]) throws -> Int {
    try #require(bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == marker })
  }

  @Test func aWholeFrameStaysAsItIs() throws {
    #expect(try MotionJPEG.repaired(whole()) == whole())
  }

  @Test(.vips) func aFileOfAnotherProgramStaysAsItIs() throws {
    let picture = try Image(
      pixels: noise(width: 70, height: 50, bands: 3),
      width: 70,
      height: 50,
      bands: 3
    )
    let kinds: [[Argument]] = [
      [], [.init("optimize-coding", .bool(true))], [.init("interlace", .bool(true))],
      [.init("restart-interval", .int(2))], [.init("subsample-mode", .enumeration("off"))],
    ]
    for options in kinds {
      let bytes = try encodedJPEG(picture, options)
      #expect(try MotionJPEG.repaired(bytes) == bytes)
      #expect(try MotionJPEG.size(of: bytes) == (70, 50))
    }
  }

  @Test(.vips) func missingTablesAreThoseOfOtherPrograms() throws {
    let bytes = try encodedJPEG(Sample.gradient(width: 40, height: 30))
    let bare = try MotionJPEG.withoutTables(bytes)
    #expect(segments(0xC4, in: bare).isEmpty)
    let repaired = try MotionJPEG.repaired(bare)
    // One segment holds what the other program wrote as four.
    #expect(
      segments(0xC4, in: repaired).flatMap(\.self) == segments(0xC4, in: bytes).flatMap(\.self)
    )
    #expect(try decodedJPEG(repaired).pixels() == decodedJPEG(bytes).pixels())
  }

  @Test func tablesGoBeforeTheScanAndNothingElseChanges() throws {
    let bare = try whole(tables: false)
    let scan = try place(of: 0xDA, in: bare)
    let repaired = try MotionJPEG.repaired(bare)
    #expect(repaired.count == bare.count + 420)
    #expect(Array(repaired[..<scan]) == Array(bare[..<scan]))
    #expect(Array(repaired[scan..<(scan + 4)]) == [0xFF, 0xC4, 0x01, 0xA2])
    #expect(Array(repaired[(scan + 420)...]) == Array(bare[scan...]))
    #expect(try repaired == whole())
  }

  /// Tables by the byte that names them: class and number.
  @Test(
    arguments: [[0x00], [0x10, 0x01], [0x00, 0x10], [0x00, 0x10, 0x01], [0x11]] as [[UInt8]]
  )
  func ofSomeTablesOnlyTheOthersAreAdded(_ there: [UInt8]) throws {
    let bytes = try whole()
    let all = try #require(segments(0xC4, in: bytes).first)
    var tables: [UInt8: [UInt8]] = [:]
    var rest = all[...]
    while let name = rest.first {
      let count = 17 + rest.dropFirst().prefix(16).reduce(0) { $0 + Int($1) }
      tables[name] = Array(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    #expect(tables.keys.sorted() == [0x00, 0x01, 0x10, 0x11])
    let bare = try MotionJPEG.withoutTables(bytes)
    let scan = try place(of: 0xDA, in: bare)
    let kept = there.flatMap { name -> [UInt8] in
      let table = tables[name] ?? []
      return [0xFF, 0xC4, UInt8((table.count + 2) >> 8), UInt8((table.count + 2) & 0xFF)] + table
    }
    let some = Array(bare[..<scan]) + kept + Array(bare[scan...])
    let repaired = try MotionJPEG.repaired(some)
    let added = try #require(segments(0xC4, in: repaired).dropFirst(there.count).first)
    let missing = [UInt8(0x00), 0x10, 0x01, 0x11].filter { !there.contains($0) }
    #expect(added == missing.flatMap { tables[$0] ?? [] })
    #expect(segments(0xC4, in: repaired).count == there.count + 1)
    #expect(try MotionJPEG.meanLuma(of: repaired) == MotionJPEG.meanLuma(of: bytes))
  }

  @Test(.vips) func aGrayFrameGetsNoTablesForColor() throws {
    let picture = try Image(
      pixels: noise(width: 24, height: 24, bands: 1),
      width: 24,
      height: 24,
      bands: 1
    )
    let bytes = try encodedJPEG(picture)
    let repaired = try MotionJPEG.repaired(MotionJPEG.withoutTables(bytes))
    #expect(segments(0xC4, in: repaired).map(\.count) == [17 + 12 + 17 + 162])
    #expect(try decodedJPEG(repaired).pixels() == decodedJPEG(bytes).pixels())
  }

  @Test(
    arguments: [[], [0], [0xFF], [0xFF, 0xFF, 0xFF], Array(repeating: 0, count: 5000)] as [[UInt8]]
  )
  func whatFollowsTheEndMarkerIsCutOff(_ padding: [UInt8]) throws {
    #expect(try MotionJPEG.repaired(whole() + padding) == whole())
  }

  @Test func theRestOfAnOlderLongerFrameIsCutOff() throws {
    let older = try whole().suffix(700)
    #expect(try MotionJPEG.repaired(whole() + older) == whole())
  }

  @Test func anEndMarkerInAnEmbeddedThumbnailIsNotTheEnd() throws {
    let inner = try pattern(32, 32).frame(number: 1, as: .mjpeg).bytes
    let length = inner.count + 2
    let application = [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + inner
    let bytes = try [0xFF, 0xD8] + application + whole().dropFirst(2)
    #expect(try MotionJPEG.repaired(bytes + [0, 0]) == bytes)
    #expect(try MotionJPEG.size(of: bytes) == (64, 48))
  }

  @Test func aFrameThatStopsAnywhereIsTruncated() throws {
    for bytes in [try whole(), try whole(tables: false)] {
      for count in 2..<bytes.count {
        #expect(throws: FrameError.truncated, "\(count) of \(bytes.count) bytes") {
          try MotionJPEG.repaired(Array(bytes[..<count]))
        }
      }
    }
  }

  @Test func aFrameFilledUpWithZerosIsTruncatedToo() throws {
    let bytes = try whole()
    let cut = bytes[..<(bytes.count / 2)] + Array(repeating: 0, count: 4000)
    #expect(throws: FrameError.truncated) { try MotionJPEG.repaired(Array(cut)) }
  }

  @Test func whatIsNoJPEGSaysSo() throws {
    let others: [[UInt8]] = [
      [], [0xFF], [0xFF, 0xD9], [0, 0xFF, 0xD8, 0xFF, 0xD9], Array("GIF89a".utf8),
      // Begins and ends, and holds nothing.
      [0xFF, 0xD8, 0xFF, 0xD9],
    ]
    for bytes in others {
      #expect(throws: FrameError.noJPEG) { try MotionJPEG.repaired(bytes) }
    }
  }

  @Test func strayBytesBetweenSegmentsAreLeftAlone() throws {
    let bytes = try whole()
    let scan = try place(of: 0xDA, in: bytes)
    let strange = Array(bytes[..<scan]) + [1, 2, 0xFF, 0x00, 3, 0xFF, 0xFF] + Array(bytes[scan...])
    #expect(try MotionJPEG.repaired(strange) == strange)
    #expect(try MotionJPEG.meanLuma(of: strange) == MotionJPEG.meanLuma(of: bytes))
  }

  @Test func kindsThatCamerasDoNotSendAreNamed() throws {
    let bytes = try whole()
    let header = try place(of: 0xC0, in: bytes)
    for marker in [UInt8(0xC3), 0xC5, 0xC9, 0xCF, 0xC8, 0xCC] {
      var other = bytes
      other[header + 1] = marker
      let error = #expect(throws: FrameError.self) { try MotionJPEG.repaired(other) }
      guard case .unsupported = error else {
        Issue.record("\(marker): \(String(describing: error))")
        continue
      }
    }
  }

  @Test func aTableThatNoStandardGivesIsNotMadeUp() throws {
    var bytes = try whole(tables: false)
    // The first component's tables become those of number 2.
    bytes[try place(of: 0xDA, in: bytes) + 6] = 0x22
    #expect(throws: FrameError.damaged("a Huffman table is missing")) {
      try MotionJPEG.repaired(bytes)
    }
  }

  @Test func anyDamageIsAnErrorAndNoCrash() throws {
    var dice = Dice(5)
    let frames = [try whole(), try whole(tables: false)]
    var errors = 0
    for round in 0..<4000 {
      var bytes = dice.pick(frames)
      // Mostly in the header, where every byte counts.
      let reach = round % 3 == 0 ? bytes.count : 700
      for _ in 0...dice.next(0...3) {
        switch dice.next(0...3) {
        case 0: bytes[dice.next(0...(reach - 1)) % bytes.count] = UInt8(dice.next(0...255))
        case 1: bytes[dice.next(0...(reach - 1)) % bytes.count] = 0xFF
        case 2: bytes.remove(at: dice.next(0...(reach - 1)) % bytes.count)
        default:
          bytes.insert(UInt8(dice.next(0...255)), at: dice.next(0...(reach - 1)) % bytes.count)
        }
      }
      do {
        let repaired = try MotionJPEG.repaired(bytes)
        // What is repaired needs no repair.
        #expect(try MotionJPEG.repaired(repaired) == repaired)
        _ = try MotionJPEG.meanLuma(of: repaired)
      } catch {
        errors += 1
      }
    }
    #expect(errors > 500)
  }
}
