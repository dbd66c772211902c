import Glibc
import MinilabKit

/// Places of the system that libraries read while pictures are made: themselves and what they load
/// later, fonts, color profiles, their configuration.
enum SystemFolders {
  /// Files and folders; not all of them are on every machine.
  static var readable: [Path] {
    let fixed = [
      "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/share", "/usr/local/lib", "/usr/local/share",
      "/lib", "/lib64", "/etc/fonts", "/etc/ImageMagick-6", "/etc/ImageMagick-7",
      "/etc/ld.so.cache",
      "/etc/localtime", "/var/cache/fontconfig", "/sys/devices/system/cpu", "/proc/self",
      "/dev/urandom",
    ]
    let own = [
      ".fonts", ".fonts.conf", ".local/share/fonts", ".cache/fontconfig", ".config/fontconfig",
      ".config/ImageMagick", ".magick",
    ]
    var paths = fixed.map { Path($0) }
    if let home = variable("HOME") { paths += own.map { Path(home).appending($0) } }
    let named: [(variable: String, below: [String])] = [
      ("XDG_DATA_HOME", ["fonts"]), ("XDG_CACHE_HOME", ["fontconfig"]),
      ("XDG_CONFIG_HOME", ["fontconfig", "ImageMagick"]), ("FONTCONFIG_FILE", [""]),
      ("FONTCONFIG_PATH", [""]), ("MAGICK_CONFIGURE_PATH", [""]), ("LD_LIBRARY_PATH", [""]),
    ]
    for (name, below) in named {
      for part in (variable(name) ?? "").split(separator: ":") {
        paths += below.map { $0.isEmpty ? Path(String(part)) : Path(String(part)).appending($0) }
      }
    }
    return paths
  }

  /// Read and written.
  static let devices: [Path] = ["/dev/null", "/dev/zero"].map { Path($0) }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
