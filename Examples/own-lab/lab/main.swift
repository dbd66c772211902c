import AutoBrightOperation
import InboxOperation
import MinilabHost
import MinilabKit
import MinilabOperations
import SharpestOperation
import TintOperation
import TrimOperation

Minilab.main(
  operations: .builtin + [
    .init(AutoBright.self), .init(Inbox.self), .init(Sharpest.self), .init(Tint.self),
    .init(Trim.self),
  ]
)
