import MinilabKit

// For the reference page: what the codes in a report mean.

extension Note.Code {
  var meaning: String {
    switch self {
    case .alphaFlattened: "Transparency went onto the output's background."
    case .alphaReduced: "Half transparency became all or none, as GIF has no other."
    case .attachmentDropped:
      "What stood in the file beside the picture was left behind: a film, a depth map, another picture."
    case .captureKept:
      "The original of a captured picture was kept, as it has not been processed: the text says where."
    case .colorConverted:
      "Colors were converted to the output's space, or from one that steps do not work in."
    case .copied: "The picture was copied, not encoded again."
    case .controlNotSet: "A control that the camera lacks, or refuses, was left as it was."
    case .cropClamped: "A crop stuck out and was moved or cut."
    case .damaged: "A damaged picture was used as far as it could be read."
    case .decoderWarned: "The decoder has warned about the file, and could read all of it."
    case .depthReduced: "More than 8 bits a channel became 8."
    case .encodedAgain:
      "A JPEG was only turned or cropped, and not along its blocks: it was encoded again."
    case .deviceReturned: "The camera was lost before this picture, and came back."
    case .enlarged: "The picture has become larger than it was."
    case .flashUnsupported: "The camera has no flash that can be set as was asked."
    case .fontReplaced: "A font is not installed, and text was drawn with another one."
    case .framesDropped: "Frames that the camera delivered damaged were passed over."
    case .gainMapDropped: "A gain map (HDR) was left behind."
    case .incompleteGroup: "A group lacks pictures and was made without them."
    case .layerLeftOut: "A layer of a composition was left out: the text says why."
    case .layerOutside: "A layer of a composition lies wholly outside the canvas."
    case .lossless: "A JPEG's coded blocks were turned or cropped, and not encoded again."
    case .makerNotesMoved:
      "The camera's maker notes stand elsewhere in the file than before, which some of them do not survive."
    case .metadataDropped: "Metadata that the output's format cannot carry was left behind."
    case .nameMismatch: "The name promises another format than the content is."
    case .originalKept: "Encoding again would have made the file larger; it was copied."
    case .nearestFormat: "The camera lacks a size or a form of pixels, and gave the nearest."
    case .outputAltered: "Somebody has changed an output since it was made; it was left as it is."
    case .pagesDropped: "Only the first of several pages or frames was used."
    case .previewSource: "Where a preview comes from: one that was ready, or the picture itself."
    case .profileDropped:
      "A color profile that is broken, does not fit, or is not to be embedded was left out."
    case .qualityChosen: "A quality was looked for and found: the text has it."
    case .textShrunk: "Text was too long for its place and was drawn smaller, or cut."
    case .timingChanged:
      "The delays or the loop count of an animation were rounded for the format, or left out."
    case .thumbnailDropped: "An embedded thumbnail no longer showed the picture and was left out."
    case .trimmed:
      "Edges of a JPEG were cut off so that it could be turned or cropped without being encoded again."
    case .withinLimit: "The picture was within the wanted size already."
    case .zoomCropped:
      "The camera's own zoom does not reach as far as was asked: the rest was cut from the middle."
    case .zoomChanged:
      "The zoom of a crop or a camera was brought within its limits, or until no corner was empty."
    }
  }
}

extension ItemError.Code {
  var meaning: String {
    switch self {
    case .crashed: "A library crashed on the picture, twice."
    case .cropOutside: "A crop lies wholly outside the picture."
    case .damaged: "The picture ends early or cannot be decoded."
    case .deviceBusy: "The camera is used by somebody else, or its bus has no room for it."
    case .deviceFailed: "The camera reports an error."
    case .deviceMissing: "The camera is not there, or was unplugged."
    case .deviceRefused: "This user may not use the camera."
    case .deviceTimeout: "The camera delivers no picture."
    case .diskFull: "The disk of the results is full; the run stops."
    case .exists:
      """
      A file of which the ledger knows nothing, or one that was made of a picture of another folder, has an \
      output's name; `--force` replaces it.
      """
    case .formatLimit: "The output is larger than its format can hold, or has pages that it cannot."
    case .formatNotWritten: "The picture's format cannot be written: the output must name one."
    case .incompleteGroup: "A group lacks pictures, and the profile refuses that."
    case .noFont: "No font is installed, so no text can be drawn."
    case .notAPicture: "The name promises a picture and the content is none."
    case .noteForbidden: "The picture has a note that the profile forbids."
    case .operationFailed: "A step could not be done on this picture."
    case .outOfMemory: "The picture needs more memory than there is."
    case .outputLost: "The device or the network folder of the results fails; the run stops."
    case .outputPath: "The output's path cannot be made for this picture."
    case .pagesRejected: "The picture has several pages, and the profile refuses that."
    case .shapeOutside: "A shape has no area, or none of it lies on the picture."
    case .timeout: "The picture took longer than the time limit."
    case .tooLarge: "No quality gives a file of at most `max-bytes`."
    case .tooManyBytes: "The file has more bytes than the profile allows."
    case .tooManyPictures: "A group has more pictures than the profile allows."
    case .tooManyPixels:
      "The header claims more pixels, a longer side or more pages than the profile allows."
    case .tooManyWarnings: "The decoder has warned more often than the profile allows."
    case .unreadable: "The file cannot be opened or read."
    case .unsupported: "The picture's format, or something in it, cannot be read here."
    case .writeFailed: "The output could not be written."
    }
  }
}
