import Glibc
import MinilabKit

/// What is at the end of a path, behind links.
func fileStatus(of path: Path) throws(SystemError) -> stat {
  var status = stat()
  let path = path.isEmpty ? Path(".") : path
  try path.withCString { (path) throws(SystemError) in
    try System.attempt(.stat) { _ in stat(path, &status) }
  }
  return status
}

/// The path without links and dots; of the working folder where it is empty.
func realPath(_ path: Path) throws(SystemError) -> [UInt8] {
  let path = path.isEmpty ? Path(".") : path
  var resolved: [UInt8] = []
  try path.withCString { (path) throws(SystemError) in
    try System.attempt(.resolve) { _ in
      guard let found = realpath(path, nil) else { return -1 }
      defer { free(found) }
      resolved = Array(UnsafeRawBufferPointer(start: found, count: strlen(found)))
      return 0
    }
  }
  return resolved
}
