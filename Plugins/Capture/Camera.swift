import MinilabKit
import V4L2

/// A source of frames: a device, or the test pattern.
protocol Camera: AnyObject {
  var identity: CameraIdentity { get }
  /// What it will deliver, or delivers since it was started.
  var format: FrameFormat { get }
  /// What was asked for and cannot be had.
  var notes: [Note] { get }
  /// How far its own zoom has gone; 1 where it has none.
  var ownZoom: Double { get }
  /// Broken frames that were passed over, so far.
  var droppedFrames: Int { get }
  /// Of the frame that came last, where the device tells, in seconds.
  var exposure: Double? { get }

  /// Sets it up, begins to stream, and lets it settle.
  func start() throws
  /// The next frame in its order.
  func next() throws -> CapturedFrame
  /// A frame from now on.
  func newest() throws -> CapturedFrame
  /// Lights the scene for the pictures that follow.
  ///
  /// - Returns: true where there is light.
  func light() throws -> Bool
  /// Before each further picture in that light: a flash that lasts for one fires again.
  func fire() throws
  func unlight() throws
  /// Puts everything back.
  func close()
}

/// What a camera calls itself.
struct CameraIdentity: Equatable {
  /// In names of items.
  var word: String
  /// For people.
  var shown: String
  /// In EXIF.
  var make: String
  var model: String
}

extension CameraIdentity {
  /// Text as a part of a file name: letters and digits, with one hyphen for whatever is between.
  static func word(of text: String) -> String {
    let words = text.unicodeScalars.split {
      !($0.properties.isAlphabetic || $0.properties.numericType != nil)
    }
    let word = words.map { String(String.UnicodeScalarView($0)) }.joined(separator: "-")
    // A name of an item has room for this and more.
    return word.isEmpty ? "camera" : String(word.prefix(60))
  }
}
