import CSystem
import MinilabKit

/// What this machine lets this process use: cores and memory, by affinity and control groups.
struct MachineLimits {
  /// At least 1.
  var cores: Int
  /// Bytes; nil where nothing tells.
  var memory: Int?

  static func current() -> MachineLimits {
    read(affinity: Int(csystem_affinity_count())) { path in
      System.contents(of: Path(path)).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// From the files of /proc and the control groups, which `contents` gives by path.
  static func read(affinity: Int, contents: (String) -> String?) -> MachineLimits {
    let groups = ControlGroups(contents: contents)
    var cores = max(1, affinity)
    if let quota = groups.cores {
      // A part of a core is less than one more thread needs.
      cores = min(cores, max(1, Int(quota)))
    }
    let memory = [groups.memory, installedMemory(contents("/proc/meminfo"))].compactMap { $0 }.min()
    return MachineLimits(cores: cores, memory: memory)
  }

  private static func installedMemory(_ text: String?) -> Int? {
    let line = text?.split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
    let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return kibibytes.map { $0 * 1024 }
  }
}

/// The quotas of the control groups that this process is in, version 1 and 2.
///
/// A group is bound by all those above it, so each hierarchy is walked up to its mount.
struct ControlGroups {
  /// Cores' worth of time; nil for no bound.
  private(set) var cores: Double?
  /// Bytes; nil for no bound.
  private(set) var memory: Int?

  init(contents: (String) -> String?) {
    let mounts = Mount.all(in: contents("/proc/self/mountinfo") ?? "")
    for line in (contents("/proc/self/cgroup") ?? "").split(separator: "\n") {
      // number:controllers:path
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let controllers = fields[1].split(separator: ",").map(String.init)
      let isVersion2 = controllers.isEmpty
      let mount = mounts.first {
        isVersion2 ? $0.type == "cgroup2" : $0.type == "cgroup" && $0.controls(controllers)
      }
      guard let mount else { continue }
      for folder in mount.folders(of: String(fields[2])) {
        func number(_ name: String) -> Double? {
          contents("\(folder)/\(name)").flatMap { Double($0.trimmedLine) }
        }
        if isVersion2 {
          let words = (contents("\(folder)/cpu.max") ?? "").trimmedLine.split(separator: " ")
          if words.count == 2 { bindCores(Double(words[0]), of: Double(words[1])) }
          bindMemory(number("memory.max"))
        } else {
          if controllers.contains("cpu") {
            bindCores(number("cpu.cfs_quota_us"), of: number("cpu.cfs_period_us"))
          }
          if controllers.contains("memory") { bindMemory(number("memory.limit_in_bytes")) }
        }
      }
    }
  }

  private mutating func bindCores(_ quota: Double?, of period: Double?) {
    guard let quota, let period, quota > 0, period > 0 else { return }
    cores = min(cores ?? .infinity, quota / period)
  }

  private mutating func bindMemory(_ bytes: Double?) {
    // Version 1 says "no bound" with a number near 2⁶³.
    guard let bytes, bytes > 0, bytes < 0x1p60 else { return }
    memory = min(memory ?? .max, Int(bytes))
  }
}

/// A mounted hierarchy of control groups.
private struct Mount {
  /// The group that is seen at the mount's top.
  let root: String
  let point: String
  let type: String
  let options: [String]

  static func all(in mountinfo: String) -> [Mount] {
    mountinfo.split(separator: "\n").compactMap { line in
      // id parent device root point options tags… - type source super-options
      let fields = line.split(separator: " ").map(String.init)
      guard let dash = fields.firstIndex(of: "-"), dash >= 5, fields.count > dash + 3,
        fields[dash + 1].hasPrefix("cgroup")
      else { return nil }
      return Mount(
        root: fields[3],
        point: fields[4],
        type: fields[dash + 1],
        options: fields[dash + 3].split(separator: ",").map(String.init)
      )
    }
  }

  func controls(_ controllers: [String]) -> Bool {
    controllers.allSatisfy(options.contains)
  }

  /// The folders of a group and of all above it, from the bottom up.
  func folders(of group: String) -> [String] {
    // In a container without a view of its own the group is named as the host sees it.
    var names = group.split(separator: "/")
    let above = root.split(separator: "/")
    if names.starts(with: above) {
      names.removeFirst(above.count)
    } else {
      names = []
    }
    return (0...names.count).reversed().map { count in
      ([point[...]] + names.prefix(count)).joined(separator: "/")
    }
  }
}

extension String {
  fileprivate var trimmedLine: String {
    String(prefix { $0 != "\n" })
  }
}
