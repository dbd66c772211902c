import MinilabKit
import Testing

@testable import MinilabHost

@Suite("Usable cores and memory (report 45)")
struct MachineLimitsTests {
  private func limits(_ affinity: Int, _ files: [String: String]) -> MachineLimits {
    MachineLimits.read(affinity: affinity) { files[$0] }
  }

  private let version2 = [
    "/proc/self/cgroup": "0::/a/b\n",
    "/proc/self/mountinfo":
      "30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n",
    "/proc/meminfo": "MemTotal:        8000000 kB\nMemFree: 1 kB\n",
  ]

  private let version1 = [
    "/proc/self/cgroup": "4:memory:/a\n3:cpu,cpuacct:/a/b\n1:name=systemd:/\n",
    "/proc/self/mountinfo":
      "30 25 0:26 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
      + "31 25 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
  ]

  @Test("Without quotas the affinity counts")
  func affinity() {
    #expect(limits(6, [:]).cores == 6)
    #expect(limits(6, [:]).memory == nil)
    #expect(limits(-1, [:]).cores == 1)
    #expect(limits(6, version2).memory == 8_000_000 * 1024)
  }

  @Test(
    "A quota of version 2 bounds the cores, its part of a core given up",
    arguments: [
      ("max 100000", 6), ("200000 100000", 2), ("150000 100000", 1), ("50000 100000", 1),
      ("900000 100000", 6), ("nonsense", 6),
    ]
  )
  func version2Quota(quota: String, cores: Int) {
    var files = version2
    files["/sys/fs/cgroup/a/b/cpu.max"] = "\(quota)\n"
    #expect(limits(6, files).cores == cores)
  }

  @Test("A group is bound by all above it")
  func hierarchy() {
    var files = version2
    files["/sys/fs/cgroup/a/b/cpu.max"] = "400000 100000\n"
    files["/sys/fs/cgroup/a/cpu.max"] = "300000 100000\n"
    files["/sys/fs/cgroup/a/b/memory.max"] = "max\n"
    files["/sys/fs/cgroup/memory.max"] = "1000000\n"
    #expect(limits(6, files).cores == 3)
    #expect(limits(6, files).memory == 1_000_000)
  }

  @Test("Version 1 has its quotas in files of their own")
  func version1Quota() {
    var files = version1
    files["/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us"] = "-1\n"
    files["/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us"] = "100000\n"
    files["/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us"] = "250000\n"
    files["/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us"] = "100000\n"
    files["/sys/fs/cgroup/memory/a/memory.limit_in_bytes"] = "9223372036854771712\n"
    #expect(limits(6, files).cores == 2)
    #expect(limits(6, files).memory == nil)
    files["/sys/fs/cgroup/memory/memory.limit_in_bytes"] = "4096\n"
    #expect(limits(6, files).memory == 4096)
  }

  @Test("In a container the group's name is the host's, and the mount shows less")
  func container() {
    var files = version2
    files["/proc/self/cgroup"] = "0::/docker/123\n"
    files["/proc/self/mountinfo"] =
      "30 25 0:26 /docker/123 /sys/fs/cgroup ro - cgroup2 cgroup rw\n"
    files["/sys/fs/cgroup/cpu.max"] = "100000 100000\n"
    #expect(limits(6, files).cores == 1)
    files["/proc/self/cgroup"] = "0::/somewhere/else\n"
    #expect(limits(6, files).cores == 1)
  }

  @Test("This machine has at least a core, and memory")
  func current() throws {
    let limits = MachineLimits.current()
    #expect(limits.cores >= 1)
    #expect(try #require(limits.memory) > 1 << 26)
  }
}
