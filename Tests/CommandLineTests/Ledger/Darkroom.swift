import Foundation
import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

/// A folder of inputs, a profile and an output root, for runs that come after each other.
final class Darkroom {
  let scratch: ScratchFolder

  /// What a run has said of one picture.
  struct Item: Decodable, Equatable {
    struct Output: Decodable, Equatable {
      let path: String
    }
    struct Failure: Decodable, Equatable {
      let code: String
    }
    struct Note: Decodable, Equatable {
      let code: String
    }
    let event: String
    let input: String?
    let status: String?
    let reason: String?
    let outputs: [Output]?
    let notes: [Note]?
    let error: Failure?

    /// `done new a.png b.png`, `skipped up-to-date`, `failed exists`.
    var short: String {
      let words = [status, reason, error?.code].compactMap { $0 }
      let made = status == "done" ? (outputs ?? []).map(\.path) : []
      return (words + made).joined(separator: " ")
    }
  }

  struct Run {
    let status: Int32
    /// By input.
    let items: [String: String]
    let notes: [String: [String]]
    let messages: String
  }

  /// Two outputs of each picture.
  static let profile = """
    profile = 1
    [[output]]
    name = "large"
    path = "{dir}/{stem}-{output}.{ext}"
    format = "png"
    [[output]]
    name = "small"
    path = "small/{dir}/{stem}.{ext}"
    format = "webp"
    lossless = true
      [[output.step]]
      op = "thumbnail-preview"
      max-side = 8
    """

  init(_ profile: String = Darkroom.profile) throws {
    scratch = try ScratchFolder(profile: profile, as: "profile.toml")
  }

  /// With two pictures, one of them in a folder, and what a run has made of them.
  static func afterRun() throws -> Darkroom {
    let room = try Darkroom()
    try room.paint("a.tif", seed: 1)
    try room.paint("b/b.tif", seed: 2)
    try room.run()
    return room
  }

  func path(_ name: String) -> Path { scratch.path.appending(name) }

  /// Writes a picture of noise, the same for the same seed.
  func paint(_ name: String, seed: UInt32, width: Int = 20, height: Int = 12) throws {
    try scratch.write(Self.picture(seed: seed, width: width, height: height), to: "in/" + name)
  }

  /// A PPM would be off by default; an uncompressed TIFF of gray is written by hand.
  static func picture(seed: UInt32, width: Int, height: Int) -> [UInt8] {
    var dice = Dice(seed)
    let pixels = (0..<(width * height)).map { _ in UInt8(dice.next(0...255)) }
    func entry(_ tag: UInt16, _ kind: UInt16, _ value: UInt32) -> [UInt8] {
      little(tag) + little(kind) + little(UInt32(1))
        + (kind == 3 ? little(UInt16(value)) + [0, 0] : little(value))
    }
    let entries = [
      entry(256, 4, UInt32(width)), entry(257, 4, UInt32(height)), entry(258, 3, 8),
      entry(259, 3, 1), entry(262, 3, 1), entry(273, 4, 8), entry(277, 3, 1),
      entry(278, 4, UInt32(height)), entry(279, 4, UInt32(pixels.count)),
    ]
    let padding = pixels.count % 2
    let head = Array("II".utf8) + little(UInt16(42)) + little(UInt32(8 + pixels.count + padding))
    let folder = little(UInt16(entries.count)) + entries.joined() + little(UInt32(0))
    return head + pixels + [UInt8](repeating: 0, count: padding) + folder
  }

  @discardableResult
  func run(
    _ arguments: String...,
    profile: String = "./profile.toml",
    input: String = "in",
    output: String = "out"
  ) throws -> Run {
    let words = ["run", profile, input, "-o", output, "--json", "--quiet"] + arguments
    return try Self.run(scratch.minilab(words))
  }

  func prune(_ arguments: String...) throws -> Program.Result {
    try scratch.minilab(["prune", "out"] + arguments)
  }

  func status(_ arguments: String...) throws -> Program.Result {
    try scratch.minilab(["status", "out"] + arguments)
  }

  static func run(_ result: Program.Result) throws -> Run {
    var items: [String: String] = [:]
    var notes: [String: [String]] = [:]
    for line in result.outputText.split(separator: "\n") {
      let item = try JSONDecoder().decode(Item.self, from: Data(line.utf8))
      guard item.event == "item", let input = item.input else { continue }
      try #require(items[input] == nil, "\(input) is told of twice")
      items[input] = item.short
      notes[input] = item.notes?.map(\.code) ?? []
    }
    return Run(status: result.status, items: items, notes: notes, messages: result.errorText)
  }

  /// Everything in an output root but our own folder: names and contents.
  func tree(_ output: String = "out") throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    func walk(_ folder: String) throws {
      let open = try Descriptor(opening: path(folder), O_RDONLY | Int32(O_DIRECTORY))
      for name in try System.names(in: open.number) where name != OutputFolder.ownName {
        let below = "\(folder)/\(name.shown)"
        if try System.kind(of: path(below)) == .folder {
          try walk(below)
        } else {
          found[String(below.dropFirst(output.count + 1))] = try contents(of: path(below))
        }
      }
    }
    try walk(output)
    return found
  }

  /// How each file of an output root can be told from one that was written again.
  func stamps(_ output: String = "out") throws -> [String: FileStamp] {
    try Dictionary(
      uniqueKeysWithValues: tree(output).keys.map { name in
        (name, FileStamp(try fileStatus(of: path("\(output)/\(name)"))))
      }
    )
  }

  func remove(_ name: String) throws {
    try System.remove(path(name), in: AT_FDCWD)
  }

  /// Gives a file the times of now.
  func touch(_ name: String) {
    _ = path(name).withCString { utimensat(AT_FDCWD, $0, nil, 0) }
  }

  /// Opens the ledger as the program does.
  func withLedger<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try body(try Database(path("out/.minilab/ledger.sqlite"), .writing))
  }
}

private func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
  withUnsafeBytes(of: number.littleEndian) { Array($0) }
}
