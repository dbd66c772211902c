import AutoBrightOperation
import MinilabHost
import MinilabKit
import MinilabOperations
import TintOperation
import TrimOperation

Minilab.main(operations: .builtin + [.init(AutoBright.self), .init(Tint.self), .init(Trim.self)])
