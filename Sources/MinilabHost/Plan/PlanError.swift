import MinilabKit

/// Why nothing was started.
enum PlanError: Error, Equatable {
  /// An input that a person named cannot be used at all.
  case input(Path, reason: String)
  /// The output root is a folder that was given as input.
  case outputIsInput(Path)
  /// Two outputs would share a path.
  case clash(OutputClash, more: Int)
  /// An output would replace a picture that is read.
  case overwritesInput(output: Path, of: Path, input: Path)
  /// An output would replace a file that the profile names, or the profile.
  case overwritesProfileFile(output: Path, of: Path, file: Path)
  /// Only pixels can tell the size that a path asks for.
  case sizeUnknown(output: String, input: Path)
  /// Matching a grouping's pattern against an input takes too long.
  case pattern(String, input: Path)
  /// There was no picture. Not an error of the plan, but there is nothing to run.
  case nothingMatched(LeftOut)

  var text: String {
    switch self {
    case .input(let path, let reason):
      return "\(path.shown): expected a file or folder that can be read, found \(reason)"
    case .outputIsInput(let path):
      return
        "\(path.shown): expected an output root of its own, found an input folder; outputs would "
        + "become the next run's inputs"
    case .clash(let clash, let more):
      let others = more > 0 ? " (and \(more) more such \(more == 1 ? "path" : "paths"))" : ""
      return clash.text + others
    case .overwritesInput(let output, let of, let input):
      return
        "\(output.shown): expected a path where no input is, found the input \(input.shown); "
        + "it would be replaced by an output of \(of.shown)"
    case .overwritesProfileFile(let output, let of, let file):
      return
        "\(output.shown): expected a path where no file of the profile is, found \(file.shown); "
        + "it would be replaced by an output of \(of.shown)"
    case .sizeUnknown(let output, let input):
      return
        "output \"\(output)\": expected a size that is known before pixels are read for {width} "
        + "and {height} in its path, found steps whose result depends on pixels (\(input.shown))"
    case .pattern(let pattern, let input):
      let shown = Path(String(pattern.prefix(80))).shown
      return
        "gather.by: expected a pattern that is matched in a sensible number of steps, found "
        + "\"\(shown)\", which takes too many for \(input.shown)"
    case .nothingMatched(let leftOut):
      let counts = leftOut.counts.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
      let seen = counts.isEmpty ? "" : " (left out: \(counts.joined(separator: ", ")))"
      return "no picture found\(seen)" + (leftOut.firstOff.map { "; \($0.shown)" } ?? "")
    }
  }
}

/// Two outputs that cannot both be written.
struct OutputClash: Error, Equatable {
  enum Kind: Equatable {
    case same
    /// Different bytes, one file where the file system does not tell letters' case apart.
    case letterCase
    /// One is a folder of the other's path.
    case folder
  }

  let kind: Kind
  let first: (input: Path, output: Path)
  let second: (input: Path, output: Path)

  static func == (left: Self, right: Self) -> Bool {
    left.kind == right.kind && left.first == right.first && left.second == right.second
  }

  var text: String {
    let shown = second.output.shown
    switch kind {
    case .same where first.input == second.input:
      return
        "\(shown): expected a path of its own for each output, found two outputs of "
        + "\(first.input.shown); put {output} into their paths"
    case .same:
      return
        "\(shown): expected one input for each output path, found \(first.input.shown) and "
        + "\(second.input.shown); change the output's path, or set input.clash to \"number\""
    case .letterCase:
      return
        "\(shown): expected paths that differ in more than the case of letters, found "
        + "\(first.output.shown) from \(first.input.shown) and \(shown) from "
        + "\(second.input.shown)"
    case .folder:
      return
        "\(shown): expected a path that is a file or a folder, found the file "
        + "\(first.output.shown) from \(first.input.shown) and \(shown) from "
        + "\(second.input.shown)"
    }
  }
}
