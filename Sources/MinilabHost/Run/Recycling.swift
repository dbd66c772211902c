import Glibc

/// After how many units a worker is replaced by a fresh one.
enum Recycling {
  /// In the environment of a run: a number of units, or 0 for never.
  static let variable = "MINILAB_RECYCLE_AFTER"

  /// What this process' environment asks for; nil where it asks for nothing that makes sense.
  static var wanted: Int? { getenv(variable).flatMap { after(String(cString: $0)) } }

  /// Units by the variable's value; nil where it is no whole number, or a negative one.
  static func after(_ value: String) -> Int? {
    guard let number = Int(value), number >= 0 else { return nil }
    return number == 0 ? .max : number
  }
}
