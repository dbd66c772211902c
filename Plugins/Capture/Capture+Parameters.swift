public import MinilabKit

extension Capture {
  public static let parameters: [Parameter<Self>] =
    whichCamera + whichFrames + settings + standing + timing

  private static let whichCamera: [Parameter<Self>] = [
    Parameter(
      "device",
      \.device,
      help: """
        `default` (the first camera), `front`, `back`, a path such as `/dev/video0` or one below \
        `/dev/v4l/by-id`, a part of the camera's name, or `test`: a moving pattern with the number of \
        each frame, which needs no camera. `test:tables` is the same with Huffman tables in each MJPEG \
        frame.
        """
    ),
    Parameter(
      "front",
      \.front,
      help:
        "What `device = \"front\"` is, where no camera says of itself that it is: as for `device`."
    ),
    Parameter(
      "back",
      \.back,
      help:
        "What `device = \"back\"` is, where no camera says of itself that it is: as for `device`."
    ),
    Parameter(
      "reconnect",
      \.reconnect,
      in: 0...86_400,
      unit: .seconds,
      help: """
        A camera that is unplugged or delivers nothing in the middle of a run is waited for so long; \
        then the run fails, and keeps what it has.
        """
    ),
  ]

  private static let whichFrames: [Parameter<Self>] = [
    Parameter(
      "preset",
      \.preset,
      help: """
        `photo` is the largest still, `high` about 1920 × 1080, `medium` about 1280 × 720, `low` about \
        640 × 480.
        """
    ),
    Parameter(
      "size",
      \.size,
      in: 1...65_535,
      unit: .pixels,
      help:
        "Width and height in place of a preset; the nearest that the camera has is taken and noted."
    ),
    Parameter(
      "pixel-format",
      \.pixelFormat,
      help: """
        The form of the camera's frames. `auto` takes what has the wanted size, first MJPEG, whose \
        frames become JPEG files as they are.
        """
    ),
  ]

  private static let settings: [Parameter<Self>] = [
    Parameter(
      "flash",
      \.flash,
      help: "`on` for each picture, `auto` where it is dark; a camera without one is noted."
    ),
    Parameter(
      "require-flash",
      \.requireFlash,
      help: "A camera without a flash is an error."
    ),
    Parameter(
      "zoom",
      \.zoom,
      in: 1...100,
      unit: .ratio,
      help: "By the camera's own zoom as far as that reaches; the rest is cut from the middle."
    ),
    Parameter(
      "max-zoom",
      \.maxZoom,
      in: 1...100,
      unit: .ratio,
      help: "The most that is zoomed, by the camera and by cutting together."
    ),
    Parameter(
      "exposure",
      \.exposure,
      in: 0.0001...60,
      unit: .seconds,
      help: "`auto`, or a time. Unset: as the camera stands."
    ),
    Parameter(
      "focus",
      \.focus,
      in: 0...100_000,
      help: "`auto`, or a position in the camera's own units. Unset: as the camera stands."
    ),
    Parameter(
      "white-balance",
      \.whiteBalance,
      in: 1000...20_000,
      unit: .kelvin,
      help: "`auto`, or a temperature. Unset: as the camera stands."
    ),
    Parameter(
      "controls",
      \.controls,
      help: """
        Other controls by the names that `minilab devices` shows, such as `{ brightness = 10 }`. All \
        that a capture changes is put back after it.
        """
    ),
  ]

  private static let standing: [Parameter<Self>] = [
    Parameter(
      "held",
      \.held,
      help: """
        How the camera is mounted, as a phone is held: `landscape-left` is its own upright, \
        `landscape-right` upside down, `portrait` a quarter turn clockwise as seen from behind it, \
        `portrait-upside-down` counterclockwise. Written as the picture's orientation. Unset: as the \
        camera says, else upright.
        """
    ),
    Parameter(
      "mirror",
      \.mirror,
      help: "Show the picture as a mirror does, by its orientation."
    ),
  ]

  private static let timing: [Parameter<Self>] = [
    Parameter(
      "warm-up",
      \.warmUp,
      in: 0...10_000,
      help: """
        Frames that are thrown away at the start, while the camera finds exposure and colors; then on, \
        for three seconds at most, until the brightness is steady. 0 takes the first frame there is.
        """
    ),
    Parameter(
      "timeout",
      \.timeout,
      in: 0.1...600,
      unit: .seconds,
      help: "How long a frame may take to come."
    ),
    Parameter("count", \.count, in: 1...1e9, help: "How often a picture is taken."),
    Parameter(
      "interval",
      \.interval,
      in: 0...86_400,
      unit: .seconds,
      help: "From one picture to the next. 0 takes every frame that comes, in its order."
    ),
    Parameter(
      "burst",
      \.burst,
      in: 1...1000,
      help: "Pictures in immediate succession each time: there are `count` × `burst` in all."
    ),
  ]
}
