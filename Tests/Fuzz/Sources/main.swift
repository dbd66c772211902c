// Gives a part of the program bytes that libFuzzer makes up. Built by `scripts/fuzz` only.
//
// usage: MINILAB_FUZZ_TARGET=NAME Fuzz [libFuzzer's own arguments]
import Glibc

@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

guard let name = getenv("MINILAB_FUZZ_TARGET").map({ String(cString: $0) }) else {
  for target in allTargets { print(target.name) }
  exit(0)
}
guard let chosen = allTargets.first(where: { $0.name == name }) else {
  print("Fuzz: no target \"\(name)\"")
  exit(64)
}

let target = chosen
target.prepare()
var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(
  runFuzzer(&count, &arguments) { start, length in
    target.body(Array(UnsafeBufferPointer(start: start, count: length)))
    return 0
  }
)
