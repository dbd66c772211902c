/// What a step asks for where nothing but turns and crops is to be done to a JPEG, which its coded
/// blocks allow without a loss.
public enum LosslessPolicy: String, CaseIterable, ParameterChoice {
  /// Where the picture then begins between blocks; else it is encoded again.
  case perfect
  /// What keeps it from beginning between blocks is cut off.
  case trim
  case never

  /// The one that asks for more where steps differ: `never` before `trim` before `perfect`.
  func combined(with other: LosslessPolicy) -> LosslessPolicy {
    if self == .never || other == .never { return .never }
    return self == .trim ? self : other
  }
}

extension Parameter {
  /// The parameter of a step that only turns or crops.
  public static func lossless(
    _ keyPath: any WritableKeyPath<Owner, LosslessPolicy> & Sendable
  ) -> Self {
    Parameter(
      "lossless",
      keyPath,
      help: """
        A JPEG that is only turned and cropped, and whose output names no encoder option, is not \
        encoded again where its left and top edge then lie between blocks: `perfect` encodes others, \
        `trim` cuts off what hangs over, `never` always encodes.
        """
    )
  }
}
