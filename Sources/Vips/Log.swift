internal import CVips
internal import CVipsShim

/// GLib's log of this process, kept instead of printed.
///
/// libvips sums up a decoder's warnings when the pipeline is released: take the log only after
/// that, or they land on the next picture.
public enum Log {
  public struct Message: Sendable, Equatable {
    public enum Level: Sendable {
      case error
      case critical
      case warning
      case message
    }

    /// The library that speaks, such as `VIPS` or `GLib-GObject`.
    public let domain: String
    public let level: Level
    public let text: String
  }

  public struct Messages: Sendable {
    public var kept: [Message] = []
    /// Messages past the room of the list.
    public var dropped = 0

    public var isEmpty: Bool { kept.isEmpty && dropped == 0 }
  }

  /// Everything since the last call, emptied.
  public static func take() -> Messages {
    var messages = Messages()
    var dropped: Int32 = 0
    withUnsafeMutablePointer(to: &messages.kept) { list in
      cvips_log_take(
        { domain, level, text, context in
          context?.assumingMemoryBound(to: [Message].self).pointee.append(
            Message(
              domain: String(cString: domain),
              level: Message.Level(flag: level),
              text: String(cString: text)
            )
          )
        },
        list,
        &dropped
      )
    }
    messages.dropped = Int(dropped)
    return messages
  }
}

extension Log.Message.Level {
  fileprivate init(flag: Int32) {
    switch flag {
    case Int32(G_LOG_LEVEL_ERROR.rawValue): self = .error
    case Int32(G_LOG_LEVEL_CRITICAL.rawValue): self = .critical
    case Int32(G_LOG_LEVEL_WARNING.rawValue): self = .warning
    default: self = .message
    }
  }
}
