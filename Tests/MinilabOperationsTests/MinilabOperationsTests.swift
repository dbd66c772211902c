import Glibc
import MinilabHost
import MinilabKit
import MinilabOperations
import TestSupport
import Testing
import Vips

/// What must hold of every operation that ships.
@Suite(.vips) struct BuiltinOperationsTests {
  private let operations: [OperationEntry] = .builtin

  @Test func isSortedByNameWithoutDoubles() {
    let names = operations.map(\.name)
    #expect(names == Set(names).sorted(), "sort the list in BuiltinOperations.swift by name")
  }

  @Test func namesAreLowerCaseWords() {
    for name in operations.map(\.name) {
      let isLegal = name.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-")
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
      }
      #expect(isLegal && name.first?.isLetter == true, "\(name)")
    }
  }

  @Test func summariesAreOneSentence() {
    for operation in operations {
      #expect(operation.summary.hasSuffix("."), "\(operation.name)")
      #expect(!operation.summary.dropLast().contains(". "), "\(operation.name)")
      #expect(operation.summary.first?.isUppercase == true, "\(operation.name)")
    }
  }

  @Test func theListHasEachFolderOfPlugins() throws {
    let folders = try #require(folderNames(in: "Plugins"))
    let listed = operations.map { entry in
      entry.name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
    #expect(
      Set(folders) == Set(listed),
      "a folder of Plugins without an entry in BuiltinOperations.swift, or the reverse"
    )
  }

  @Test func parametersHaveHelpAndMeasuredOnesAUnit() {
    for operation in operations {
      for parameter in operation.parameters {
        #expect(parameter.help.hasSuffix("."), "\(operation.name).\(parameter.name)")
        switch parameter.schema {
        case .length, .array(.length, count: _):
          #expect(
            parameter.unit == .pixels || parameter.unit == .viewUnits,
            "\(operation.name).\(parameter.name)"
          )
        default: break
        }
      }
    }
  }

  @Test func everyOperationHasExamples() {
    for operation in operations { #expect(!operation.examples.isEmpty, "\(operation.name)") }
  }

  @Test(arguments: [OperationEntry].builtin.map(\.name))
  func examplesRunAndChangeThePicture(name: String) throws {
    let entry = try #require(operations.first { $0.name == name })
    for example in entry.examples {
      let file = try TOMLReader.read(
        Array("[[step]]\n\(example.toml)".utf8),
        from: Path("\(name).toml")
      )
      let node = try #require(file["step"]?.items?.first)
      var problems: [Problem] = []
      let operation = entry.decode(node, key: name, ignoring: [], &problems)
      #expect(problems.isEmpty, "\(example.summary): \(problems)")
      // A source has no picture to change; its own tests run it.
      if entry.makesItems { continue }
      let trial = try Trial(try #require(operation), on: Self.picture())
      if trial.frame.isSkipped { continue }
      let image = try trial.image()
      if let size = trial.frame.knownSize {
        #expect(size == Size(width: image.width, height: image.height), "\(example.summary)")
      }
      let isOrientAuto = name == "orient" && example.toml.isEmpty
      let isWithinLimit = trial.frame.notes.contains { $0.code == .withinLimit }
      if isOrientAuto || isWithinLimit { continue }
      let before = try Self.picture()
      let isSame =
        try image.width == before.width && image.height == before.height
        && image.bands == before.bands && image.pixels() == before.pixels()
      #expect(!isSame, "\(name): \(example.summary) did nothing")
    }
  }

  /// Half transparent in one corner, busy enough for every operation to have something to do.
  private static func picture() throws -> Image {
    var pixels: [UInt8] = []
    for y in 0..<500 {
      for x in 0..<1100 {
        let isEdge = (x / 8 + y / 8) % 2 == 0
        pixels += [UInt8(x % 256), UInt8(y % 256), isEdge ? 200 : 30, x < 99 && y < 99 ? 90 : 255]
      }
    }
    return try Image(pixels: pixels, width: 1100, height: 500, bands: 4)
  }

  @Test func valuesOutsideARangeAreRefused() throws {
    for operation in operations {
      for parameter in operation.parameters {
        guard let range = parameter.range, range.upperBound < 1e15 else { continue }
        let literal: (Double) -> String = { value in
          switch parameter.schema {
          case .array(_, count: let count?):
            "[" + (0..<count).map { _ in "\(Int(value))" }.joined(separator: ", ") + "]"
          case .array: "[\(value)]"
          case .any([.array(.length, count: 2), .choice(["frame", "fit"])]): "[\(value), \(value)]"
          case .integer: "\(Int(value))"
          case .any(let schemas) where schemas.contains(.integer): "\(Int(value))"
          default: "\(value)"
          }
        }
        for value in [range.lowerBound - 1, range.upperBound + 1] {
          let text = "\(parameter.name) = \(literal(value))"
          let node = try TOMLReader.read(Array(text.utf8), from: Path("bounds.toml"))
          var problems: [Problem] = []
          _ = operation.decode(node, key: operation.name, ignoring: [], &problems)
          #expect(
            problems.contains { $0.code == .outOfRange },
            "\(operation.name): \(text) was taken"
          )
        }
      }
    }
  }
}

/// The names of the folders in a folder of the project.
private func folderNames(in folder: String) -> [String]? {
  // This file lies two folders below the project's.
  let parts = #filePath.split(separator: "/").dropLast(3)
  guard let stream = opendir("/" + parts.joined(separator: "/") + "/" + folder) else { return nil }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    if !name.hasPrefix(".") { names.append(name) }
  }
  return names
}
