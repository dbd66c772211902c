#define _GNU_SOURCE
#include "csandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Landlock

// Rights by the version that has brought them.
#define V1_RIGHTS ((1ULL << 13) - 1)
#define RIGHT_REFER (1ULL << 13)
#define RIGHT_TRUNCATE (1ULL << 14)
#define RIGHT_IOCTL_DEVICE (1ULL << 15)
#define NET_BIND_AND_CONNECT 3ULL
#define SCOPE_SOCKETS_AND_SIGNALS 3ULL

// The kernel's `landlock_ruleset_attr` in its longest form. A kernel is told the size that it knows.
struct ruleset {
  uint64_t files;
  uint64_t network;
  uint64_t scopes;
};

static uint64_t known_rights(int version) {
  uint64_t rights = V1_RIGHTS;
  if (version >= 2) rights |= RIGHT_REFER;
  if (version >= 3) rights |= RIGHT_TRUNCATE;
  if (version >= 5) rights |= RIGHT_IOCTL_DEVICE;
  return rights;
}

int csandbox_landlock_version(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : (int)version;
}

int csandbox_open_rules(int version) {
  struct ruleset rules = {.files = known_rights(version)};
  size_t size = sizeof rules.files;
  if (version >= 4) {
    rules.network = NET_BIND_AND_CONNECT;
    size += sizeof rules.network;
  }
  if (version >= 6) {
    rules.scopes = SCOPE_SOCKETS_AND_SIGNALS;
    size += sizeof rules.scopes;
  }
  return (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
}

int csandbox_allow(int rules, int version, int file, enum csandbox_right right) {
  struct stat status;
  if (fstat(file, &status) != 0) return -1;
  uint64_t of_files = LANDLOCK_ACCESS_FS_READ_FILE;
  if (right != CSANDBOX_READ) of_files |= LANDLOCK_ACCESS_FS_WRITE_FILE;
  if (right == CSANDBOX_CHANGE) of_files |= RIGHT_TRUNCATE;
  uint64_t rights = of_files;
  if (S_ISDIR(status.st_mode)) {
    rights |= LANDLOCK_ACCESS_FS_READ_DIR;
    if (right == CSANDBOX_CHANGE)
      rights |= LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | RIGHT_REFER;
  }
  struct landlock_path_beneath_attr rule = {
      .allowed_access = rights & known_rights(version),
      .parent_fd = file,
  };
  return (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

int csandbox_enter_rules(int rules) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return (int)syscall(SYS_landlock_restrict_self, rules, 0);
}

// seccomp

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the numbers of system calls are not known here"
#endif

// System calls that are newer than Debian 12's headers; all architectures number these alike.
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
// From here on (setxattrat, Linux 6.13) nobody has looked at what they do: they are as if the kernel
// had none, which the C library knows how to live with.
#define FIRST_UNKNOWN 463

enum { MOST = 512 };

struct filter {
  struct sock_filter code[MOST];
  unsigned short count;
};

static void add(struct filter *filter, unsigned short code, uint32_t k, uint8_t yes, uint8_t no) {
  if (filter->count < MOST)
    filter->code[filter->count++] = (struct sock_filter){code, yes, no, k};
}

static void load(struct filter *filter, uint32_t offset) {
  add(filter, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
}

static void give(struct filter *filter, uint32_t verdict) {
  add(filter, BPF_RET | BPF_K, verdict, 0, 0);
}

// Everything here is little-endian: the low half of an argument comes first.
static uint32_t low(int argument) {
  return (uint32_t)offsetof(struct seccomp_data, args) + 8 * (uint32_t)argument;
}

static void refuse(struct filter *filter, long call, int error) {
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
  give(filter, SECCOMP_RET_ERRNO | (uint32_t)error);
}

// Lets a call through where its first argument is this process.
static void only_for(struct filter *filter, long call, uint32_t process, int allows_zero) {
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, allows_zero ? 5 : 4);
  load(filter, low(0));
  if (allows_zero) add(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, process, 0, 1);
  give(filter, SECCOMP_RET_ALLOW);
  give(filter, SECCOMP_RET_ERRNO | EPERM);
}

// Refuses a call where an argument has this value.
static void refuse_value(struct filter *filter, long call, int argument, uint32_t value) {
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 4);
  load(filter, low(argument));
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  give(filter, SECCOMP_RET_ERRNO | EPERM);
  load(filter, offsetof(struct seccomp_data, nr));
}

// A thread is no process.
static void only_threads(struct filter *filter) {
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
  load(filter, low(0));
  add(filter, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1);
  give(filter, SECCOMP_RET_ALLOW);
  give(filter, SECCOMP_RET_ERRNO | EPERM);
}

// Times of an open file: its name is NULL.
static void only_open_files(struct filter *filter, long call) {
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 6);
  load(filter, low(1));
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3);
  load(filter, low(1) + 4);
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
  give(filter, SECCOMP_RET_ALLOW);
  give(filter, SECCOMP_RET_ERRNO | EPERM);
}

// Where only some architectures have a call, the others have no name for it.
static const long refused[] = {
    // New processes and programs.
    SYS_execve, SYS_execveat,
#ifdef SYS_fork
    SYS_fork, SYS_vfork,
#endif
    // The network, and sockets of this machine.
    SYS_socket, SYS_socketpair,
    // Other processes: signals, memory, priorities.
    SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_send_signal, SYS_pidfd_open,
    SYS_pidfd_getfd, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp,
    SYS_process_madvise, SYS_setpriority, SYS_ioprio_set, SYS_sched_setaffinity,
    SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr, SYS_migrate_pages,
    SYS_move_pages, SYS_shmget, SYS_shmat, SYS_msgget, SYS_semget, SYS_mq_open,
    // Files by their names, where Landlock has no right for it, and by their numbers.
    SYS_truncate, SYS_fchmodat, SYS_fchmodat2, SYS_fchownat, SYS_fchown, SYS_setxattr,
    SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
    SYS_open_by_handle_at, SYS_name_to_handle_at,
#ifdef SYS_chmod
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
    // The machine itself.
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, SYS_swapon,
    SYS_swapoff, SYS_reboot, SYS_sethostname, SYS_setdomainname, SYS_init_module,
    SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_acct, SYS_quotactl, SYS_bpf,
    SYS_perf_event_open, SYS_userfaultfd, SYS_add_key, SYS_request_key, SYS_keyctl,
    SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex, SYS_personality,
    SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_move_mount, SYS_open_tree,
    SYS_mount_setattr, SYS_syslog, SYS_fanotify_init, SYS_inotify_init1, SYS_quotactl_fd,
    SYS_kexec_file_load, SYS_vhangup, SYS_capset,
#ifdef SYS_ioperm
    SYS_ioperm, SYS_iopl, SYS_inotify_init,
#endif
};

// As if the kernel had no such calls: what they do is not seen by a filter.
static const long unknown[] = {SYS_clone3, SYS_io_uring_setup, SYS_io_uring_enter,
                               SYS_io_uring_register};

static void write_filter(struct filter *filter, bool attributes) {
  uint32_t own = (uint32_t)getpid();
  load(filter, offsetof(struct seccomp_data, arch));
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  give(filter, SECCOMP_RET_KILL_PROCESS);
  load(filter, offsetof(struct seccomp_data, nr));
#if defined(__x86_64__)
  // The numbers of x32, which mean the same calls again.
  add(filter, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
  give(filter, SECCOMP_RET_ERRNO | ENOSYS);
#endif
  add(filter, BPF_JMP | BPF_JGE | BPF_K, FIRST_UNKNOWN, 0, 1);
  give(filter, SECCOMP_RET_ERRNO | ENOSYS);
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) refuse(filter, unknown[i], ENOSYS);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) refuse(filter, refused[i], EPERM);
  if (!attributes) {
    refuse(filter, SYS_fchmod, EPERM);
    refuse(filter, SYS_utimensat, EPERM);
  }
  only_threads(filter);
  only_for(filter, SYS_kill, own, 0);
  only_for(filter, SYS_tgkill, own, 0);
  only_for(filter, SYS_prlimit64, own, 1);
  only_open_files(filter, SYS_utimensat);
  // A signal to whoever owns a file, and characters typed into a terminal.
  refuse_value(filter, SYS_fcntl, 1, F_SETOWN);
  refuse_value(filter, SYS_fcntl, 1, F_SETOWN_EX);
  refuse_value(filter, SYS_fcntl, 1, F_SETSIG);
  refuse_value(filter, SYS_fcntl, 1, F_SETLEASE);
  refuse_value(filter, SYS_ioctl, 1, TIOCSTI);
  refuse_value(filter, SYS_ioctl, 1, TIOCLINUX);
  // Attributes of a file that is open for reading.
  refuse_value(filter, SYS_ioctl, 1, FS_IOC_SETFLAGS);
  refuse_value(filter, SYS_ioctl, 1, FS_IOC_FSSETXATTR);
  // To live on when the coordinator is gone, and hold its lock.
  refuse_value(filter, SYS_prctl, 0, PR_SET_PDEATHSIG);
  give(filter, SECCOMP_RET_ALLOW);
}

bool csandbox_has_filters(void) {
  uint32_t action = SECCOMP_RET_ERRNO;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

int csandbox_enter_filter(bool attributes) {
  struct filter filter = {.count = 0};
  write_filter(&filter, attributes);
  if (filter.count == MOST) {
    errno = E2BIG;
    return -1;
  }
  struct sock_fprog program = {.len = filter.count, .filter = filter.code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

// Capabilities

// To read and write files of others is what root is asked for; all else is not.
#define KEPT_CAPABILITIES \
  (CAP_TO_MASK(CAP_DAC_OVERRIDE) | CAP_TO_MASK(CAP_DAC_READ_SEARCH) | CAP_TO_MASK(CAP_FOWNER))

int csandbox_drop_capabilities(void) {
  struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
  if (syscall(SYS_capget, &head, data) != 0) return -1;
  if (data[0].permitted == 0 && data[1].permitted == 0) return 0;
  data[0].permitted &= KEPT_CAPABILITIES;
  data[0].effective &= KEPT_CAPABILITIES;
  data[1].permitted = data[1].effective = 0;
  data[0].inheritable = data[1].inheritable = 0;
  return (int)syscall(SYS_capset, &head, data);
}
