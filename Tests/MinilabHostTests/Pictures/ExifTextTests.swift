import Testing

@testable import MinilabHost

@Suite("EXIF values in words")
struct ExifTextTests {
  @Test(
    "a value is told from what libvips writes beside it",
    arguments: [
      ("X-T4 (X-T4, ASCII, 5 components, 5 bytes)", "X-T4"),
      ("<A, B> (C) (<A, B> (C), ASCII, 11 components, 11 bytes)", "<A, B> (C)"),
      ("7396/1000000 (1/135 sec., Rational, 1 components, 8 bytes)", "1/135 sec."),
      ("Ross (Ross (Photographer) - [None] (Editor), ASCII, 5 components, 5 bytes)", "Ross"),
      ("WWL      (WWL     , ASCII, 9 components, 9 bytes)", "WWL"),
      ("6 (Right-top, Short, 1 components, 2 bytes)", "Right-top"),
    ]
  )
  func values(_ field: String, _ value: String) {
    #expect(ExifText(field).value == value)
  }

  @Test(
    "an empty value, or none, is no text",
    arguments: [
      "    (   , ASCII, 4 components, 4 bytes)", " (, Undefined, 264 components, 264 bytes)", "",
      "odd", " ([None] (Photographer) - [None] (Editor), ASCII, 1 components, 1 bytes)",
    ]
  )
  func nothing(_ field: String) {
    #expect(ExifText(field).value == nil)
  }
}
