public import MinilabKit

/// How wide the result behind an editor's frame is.
public enum OutputWidth: ParameterValue, Equatable {
  case pixels(Int)
  /// As wide as the picture.
  case source

  public static var schema: Schema { .any([.integer, .choice(["source"])]) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    if node.text == "source" { return .source }
    guard case .integer = node.value else { return field.refuse(node, as: Self.self, &problems) }
    return Int.decode(node, as: field, &problems).map { .pixels($0) }
  }

  public var literal: String {
    switch self {
    case .pixels(let width): width.literal
    case .source: "\"source\""
    }
  }
}

extension Crop {
  /// Way 4.
  func edited(_ frame: Frame, _ editor: EditorFrame, in context: Context) throws -> Frame {
    var view = EditorView(editor, picture: frame.size, zoom: zoom, pan: pan, angle: angle)
    var notes = limitZoom(of: &view)
    if checkBounds {
      let way = view.cover()
      if way > Self.leastTold {
        notes.append(
          Note(.cropClamped, "the picture was moved by \(way.short), so that it covers the frame")
        )
      }
    }
    guard view.isInFrame else {
      let all = Edges(left: 0, top: 0, right: editor.width, bottom: editor.height)
      throw context.error(
        .cropOutside,
        expected: "some of the picture in the frame \(all.text)",
        received: "the picture at \(view.box.text), outside it"
      )
    }
    let width = resultWidth(of: view)
    if width > view.width {
      notes.append(
        Note(.enlarged, "\(view.width) pixels of the picture became \(width) side by side")
      )
    }
    let size = Size(width: width, height: view.height(for: width))
    let map = view.toPicture(from: size)
    return frame.geometry { $0.view(through: map, size: size, background: background) }
      .reportingCrop().showing(.frame(size.corners.map { map($0) })).noting(notes)
  }

  /// Of zooms and of ways in frame units: what is less than this is rounding.
  private static let leastTold = 1e-6

  /// Brings the zoom within its limits, and then to where the picture can cover the frame.
  private func limitZoom(of view: inout EditorView) -> [Note] {
    let bounded = min(max(zoom, minZoom ?? zoom), maxZoom ?? .infinity)
    let least = checkBounds ? view.leastZoom : 0
    view.zoom = max(bounded, least)
    if least > bounded + Self.leastTold {
      let limit = maxZoom.map { $0 < least ? ", above max-zoom" : "" } ?? ""
      return [
        Note(
          .zoomChanged,
          "at zoom \(bounded.short) corners would be empty; it became \(least.short)\(limit)"
        )
      ]
    }
    if bounded == zoom { return [] }
    let limit = bounded > zoom ? "below min-zoom" : "above max-zoom"
    return [Note(.zoomChanged, "zoom \(zoom.short) is \(limit); it became \(bounded.short)")]
  }

  private func resultWidth(of view: EditorView) -> Int {
    switch outputWidth {
    case nil: view.width
    case .source: view.picture.width
    case .pixels(let width): width
    }
  }
}

extension Double {
  /// To three digits behind the point.
  fileprivate var short: String { ((self * 1_000).rounded() / 1_000).literal }
}
