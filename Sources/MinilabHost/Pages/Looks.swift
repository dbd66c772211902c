import Vips

/// What steps have seen of the first frame of an animation, for the frames after it.
///
/// A step that looks at pixels to know where or how much must decide alike for every frame, or the
/// picture jumps and flickers. All frames are taken through the same steps, so what a step asks for
/// is told by how many have asked before.
final class Looks {
  private var taken: [Image] = []
  private var next = 0

  /// A frame begins its way through the steps.
  func begin() { next = 0 }

  /// What was seen of the first frame; `make` looks at it.
  func look(_ make: () throws -> Image) throws -> Image {
    if next == taken.count { taken.append(try make()) }
    defer { next += 1 }
    return taken[next]
  }
}
