import Glibc
import MinilabKit
import MinilabOperations
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// A worker's picture processor with a profile, and folders for its inputs and outputs.
final class Workbench {
  let folder: ScratchFolder
  let profile: Profile
  let processor: PictureProcessor
  private var count = 0

  var outputRoot: Path { folder.path.appending("out") }

  /// `toml`: a profile without its first line.
  init(_ toml: String, threads: Int = 1, operations: [OperationEntry] = .builtin) throws {
    folder = try ScratchFolder()
    let file = try folder.write("profile = 1\n" + toml, to: "profile.toml")
    profile = try ProfileLoader.load(file, operations: operations)
    _ = try OutputFolder(preparing: folder.path.appending("out"))
    processor = try PictureProcessor(
      Setup(profile: profile.node, output: folder.path.appending("out"), threads: threads),
      operations: operations
    )
  }

  /// What became of a file: the worker's result, and the outputs that were made.
  struct Outcome {
    let result: UnitResult
    /// By the outputs' order in the profile.
    let files: [Path]
    /// Keeps the files.
    fileprivate let folder: ScratchFolder

    /// - Throws: the item's error, where it has failed.
    func bytes(_ index: Int = 0) throws -> [UInt8] {
      if let error = result.error { throw error }
      return try contents(of: files[index])
    }

    /// The picture of an output, decoded by libvips.
    func image(_ index: Int = 0) throws -> Image {
      let format = try #require(
        result.outputs.indices.contains(index) ? result.outputs[index] : nil
      )
      .format
      return try load(Loader.of(format).operation, from: Source(bytes: bytes(index)))
    }

    func picture(_ index: Int = 0) throws -> NaivePicture { try NaivePicture(image(index)) }

    var noteCodes: [Note.Code] { result.notes.map(\.code) }
  }

  /// Writes a file and processes it.
  func process(_ bytes: [UInt8], named name: String) throws -> Outcome {
    let path = try folder.write(bytes, to: "in/" + name)
    return try process(path)
  }

  func process(_ path: Path) throws -> Outcome {
    count += 1
    let paths = profile.outputs.map { Path("\(count)-\($0.name)") }
    let result = try processor.process(
      UnitRequest(id: count, input: path, format: format(of: path), outputs: paths)
    )
    .finish()
    return Outcome(result: result, files: paths.map(outputRoot.appending), folder: folder)
  }

  /// Processes files as a gathered unit; what is no picture has failed beforehand.
  ///
  /// `lost` was there when the unit was planned, and is not when it is made.
  func process(
    group paths: [Path],
    wanted: Int? = nil,
    removing lost: Path? = nil
  ) throws -> Outcome {
    count += 1
    let outputs = profile.outputs.map { Path("\(count)-\($0.name)") }
    let group = group(paths, wanted)
    let lead = try #require(group.members.first { $0.format != nil })
    _ = lost?.withCString { unlink($0) }
    let result = try processor.process(
      UnitRequest(
        id: count,
        input: lead.input,
        format: #require(lead.format),
        outputs: outputs,
        group: group
      )
    )
    .finish()
    return Outcome(result: result, files: outputs.map(outputRoot.appending), folder: folder)
  }

  func probe(group paths: [Path], wanted: Int? = nil) throws -> ProbeResult {
    let group = group(paths, wanted)
    let lead = try #require(group.members.first { $0.format != nil })
    return try processor.probe(
      ProbeRequest(id: 0, input: lead.input, format: #require(lead.format), group: group)
    )
  }

  private func group(_ paths: [Path], _ wanted: Int?) -> GroupRequest {
    let root = folder.path.appending("in").bytes.count + 1
    let members = paths.map { path in
      do {
        return GroupMember(input: path, rootLength: root, format: try format(of: path))
      } catch {
        return GroupMember(input: path, rootLength: root, error: error as? ItemError)
      }
    }
    return GroupRequest(members: members, wanted: wanted)
  }

  func probe(_ path: Path) throws -> ProbeResult {
    try processor.probe(ProbeRequest(id: 0, input: path, format: format(of: path)))
  }

  /// What the signature table takes a file for.
  private func format(of path: Path) throws -> PictureFormat {
    var inspector = Inspector(Set(PictureFormat.allCases))
    let inspection = inspector.inspect(path.bytes[...], in: AT_FDCWD, follow: true, named: true)
    guard case .picture(let format, _) = inspection else {
      throw ItemError(.notAPicture, expected: "a picture", received: path.shown)
    }
    return format
  }

  /// Names in the output root, but for our own folder.
  func outputNames() throws -> [String] {
    let root = try Descriptor(opening: outputRoot, O_RDONLY | Int32(O_DIRECTORY))
    return try System.names(in: root.number).map(\.shown).filter { $0 != ".minilab" }.sorted()
  }

  /// Names of files that were begun and not finished.
  func leftovers() throws -> [String] {
    let temporaries = outputRoot.appending(".minilab/tmp")
    let folder = try Descriptor(opening: temporaries, O_RDONLY | Int32(O_DIRECTORY))
    return try System.names(in: folder.number).map(\.shown)
  }
}
