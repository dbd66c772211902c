import MinilabKit

/// One figure of a sheet: a step, the picture as it comes in, or what an output makes of it.
struct SheetPanel {
  /// Its place in the order of steps, from 1, 0 for the picture as it comes in; nil for a result.
  var number: Int?
  var title: String
  /// Said behind the title: the operation, where the title is a step's own name.
  var remark = ""
  var facts: [String] = []
  /// What the profile tells the step, a line for each key.
  var settings: [String] = []
  var notes: [String] = []
  /// Why the steps end here.
  var error: String?
  var shots: [SheetShot] = []
}

/// One picture of a figure.
struct SheetShot {
  /// Its size is known.
  var frame: Frame
  /// Two shots of one source show the same picture.
  var source: Source
  /// Drawn over it.
  var guides: [Guide] = []
  /// It comes of the shots before it, so an arrow leads here.
  var isResult = false
  /// What transparency is laid on; nil for the checkered ground of editors.
  var background: Color?

  struct Source: Hashable {
    /// The number of the step that has made it.
    var step: Int
    /// Among the pictures of a group.
    var place: Int
  }

  init(_ frame: Frame, source: Source, guides: [Guide] = []) {
    self.frame = frame
    self.source = source
    self.guides = guides
  }
}

/// Figures under one heading.
struct SheetSection {
  /// Nil for what all outputs share.
  var heading: String?
  var remark = ""
  var panels: [SheetPanel]
}
