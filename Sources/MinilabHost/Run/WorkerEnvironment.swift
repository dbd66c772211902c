/// What a worker is told of the environment: what libraries go by, and nothing that is a secret of
/// other programs.
enum WorkerEnvironment {
  private static let names: Set<String> = [
    "GLIBC_TUNABLES", "HOME", "LANG", "LANGUAGE", "LLVM_PROFILE_FILE", "PATH", "TMPDIR", "TZ",
  ]
  /// Of libraries: C, GLib, fontconfig, libvips and ImageMagick, the sanitizers; and our own.
  private static let prefixes = [
    "LC_", "LD_", "MALLOC_", "G_", "FC_", "FONTCONFIG_", "XDG_", "VIPS_", "MAGICK_", "OMP_",
    "ASAN_",
    "LSAN_", "TSAN_", "UBSAN_", "SWIFT_", "MINILAB_", "FAKE_WORKER_",
  ]

  static func keeps(_ name: String) -> Bool {
    names.contains(name) || prefixes.contains { name.hasPrefix($0) }
  }
}
