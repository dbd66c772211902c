internal import CVips
internal import CVipsShim
import Glibc
import Synchronization

/// libvips as this process uses it: the one place for its settings.
public enum Host {
  public struct Settings: Sendable {
    /// Threads of one pipeline.
    public var threads: Int

    public init(threads: Int = 1) {
      self.threads = threads
    }
  }

  /// Starts libvips.
  ///
  /// Calling it again only applies the settings.
  ///
  /// - The operation cache is off: it would give the old pixels of a path that was rewritten, and
  ///   hold memory between items.
  /// - Nothing is printed: GLib's log goes to `Log`.
  public static func start(_ settings: Settings = Settings()) throws(VipsError) {
    try hasStarted.withLock { (hasStarted) throws(VipsError) in
      // One at a time: to a second caller `vips_init` says that all is well while the first is
      // still at it.
      if !hasStarted { try startLibrary() }
      hasStarted = true
      vips_concurrency_set(Int32(clamping: settings.threads))
    }
  }

  private static func startLibrary() throws(VipsError) {
    cvips_log_install()
    guard vips_init("minilab") == 0 else { throw VipsError.taken(by: "vips_init") }
    vips_cache_set_max(0)
    vips_cache_set_max_mem(0)
    vips_cache_set_max_files(0)
  }

  /// Ends libvips: nothing of it may be used any more.
  ///
  /// With `VIPS_LEAK` in the environment it now prints what is still alive. Only then is this worth
  /// its time: a process that ends gives everything back.
  public static func stop() { vips_shutdown() }

  /// Gives back what libvips keeps for a thread of ours, which is about to end.
  public static func endThread() { vips_thread_shutdown() }

  /// True where somebody wants to know what is alive at the end.
  public static var isAskedForLeaks: Bool { getenv("VIPS_LEAK") != nil }

  /// Starts libvips where nobody has, with its settings left to whoever starts it properly.
  public static func startIfNeeded() throws(VipsError) {
    try hasStarted.withLock { (hasStarted) throws(VipsError) in
      if !hasStarted { try startLibrary() }
      hasStarted = true
    }
  }

  private static let hasStarted = Mutex(false)

  /// Threads of one pipeline, as libvips counts them.
  public static var threads: Int { Int(vips_concurrency_get()) }

  /// Sets the threads of pipelines that begin from now on.
  public static func setThreads(_ count: Int) { vips_concurrency_set(Int32(clamping: count)) }

  /// The most memory in pixel buffers so far, in bytes.
  public static var pixelMemoryHighWater: Int { Int(vips_tracked_get_mem_highwater()) }

  /// The number of libvips objects alive now: pictures, operations, sources and targets.
  public static var objects: Int { Int(cvips_live_objects()) }

  /// The number of libvips pixel buffers alive now.
  public static var pixelBuffers: Int { Int(vips_tracked_get_allocs()) }

  /// The version of the library, such as `8.14.1`.
  public static var version: String {
    [0, 1, 2].map { String(vips_version($0)) }.joined(separator: ".")
  }
}
