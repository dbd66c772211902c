#define _GNU_SOURCE
#include "cintruder.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static bool ends(long child) {
  if (child < 0) return false;
  if (child == 0) syscall(SYS_exit_group, 0);
  waitpid((pid_t)child, NULL, 0);
  return true;
}

bool cintruder_forks(void) {
#ifdef SYS_fork
  return ends(syscall(SYS_fork));
#else
  return ends(fork());
#endif
}

bool cintruder_vforks(void) {
  // As vfork() is made of it: a child in the same memory would return twice on one stack.
  return ends(syscall(SYS_clone, (unsigned long)SIGCHLD, 0, 0, 0, 0));
}

bool cintruder_clones(void) {
  return ends(syscall(SYS_clone, (unsigned long)(CLONE_FILES | SIGCHLD), 0, 0, 0, 0));
}

bool cintruder_clones3(void) {
  struct clone_args arguments = {.exit_signal = SIGCHLD};
  return ends(syscall(SYS_clone3, &arguments, sizeof arguments));
}

bool cintruder_executes_memory(void) {
  // No program, so that being allowed to run it does not end this one.
  int file = memfd_create("a", 0);
  if (file < 0) return false;
  bool wrote = write(file, "#", 1) == 1;
  char *none[] = {NULL};
  syscall(SYS_execveat, file, "", none, none, AT_EMPTY_PATH);
  bool free = wrote && errno == ENOEXEC;
  close(file);
  return free;
}

static bool connects(int family, int type, const struct sockaddr *address, socklen_t length) {
  int file = socket(family, type, 0);
  if (file < 0) return false;
  bool free = connect(file, address, length) == 0 || (errno != EPERM && errno != EACCES);
  close(file);
  return free;
}

static struct sockaddr_in here(void) {
  return (struct sockaddr_in){
      .sin_family = AF_INET,
      .sin_port = htons(9),
      .sin_addr = {htonl(INADDR_LOOPBACK)},
  };
}

bool cintruder_connects_tcp(void) {
  struct sockaddr_in address = here();
  return connects(AF_INET, SOCK_STREAM, (struct sockaddr *)&address, sizeof address);
}

bool cintruder_connects_udp(void) {
  struct sockaddr_in address = here();
  return connects(AF_INET, SOCK_DGRAM, (struct sockaddr *)&address, sizeof address);
}

bool cintruder_connects_abstract(const char *name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path + 1, name, sizeof address.sun_path - 2);
  socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
  return connects(AF_UNIX, SOCK_STREAM, (struct sockaddr *)&address, length);
}

bool cintruder_connects_path(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  return connects(AF_UNIX, SOCK_DGRAM, (struct sockaddr *)&address, sizeof address);
}

bool cintruder_makes_socket_pair(void) {
  int pair[2];
  return socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0;
}

bool cintruder_signals(pid_t process) { return kill(process, 0) == 0; }

bool cintruder_signals_thread(pid_t process) {
  return syscall(SYS_tgkill, process, process, 0) == 0 || syscall(SYS_tkill, process, 0) == 0;
}

bool cintruder_queues_signal(pid_t process) {
  siginfo_t info = {.si_code = SI_QUEUE};
  return syscall(SYS_rt_sigqueueinfo, process, 0, &info) == 0 ||
         syscall(SYS_rt_tgsigqueueinfo, process, process, 0, &info) == 0;
}

bool cintruder_opens_process(pid_t process) {
  int file = (int)syscall(SYS_pidfd_open, process, 0);
  if (file < 0) return false;
  syscall(SYS_pidfd_send_signal, file, 0, NULL, 0);
  close(file);
  return true;
}

bool cintruder_traces(pid_t process) {
  if (ptrace(PTRACE_SEIZE, process, NULL, NULL) != 0) return false;
  ptrace(PTRACE_DETACH, process, NULL, NULL);
  return true;
}

bool cintruder_is_traced(void) {
  // Would leave this process traced: only the refusal is asked for.
  return ptrace(PTRACE_PEEKDATA, getpid(), NULL, NULL) != -1 || errno != EPERM;
}

bool cintruder_reads_memory(pid_t process, const void *address) {
  char byte;
  struct iovec local = {&byte, 1};
  struct iovec remote = {(void *)address, 1};
  return process_vm_readv(process, &local, 1, &remote, 1, 0) == 1 || errno == EFAULT;
}

bool cintruder_sets_up_ring(void) {
  struct io_uring_params parameters = {0};
  long file = syscall(SYS_io_uring_setup, 1, &parameters);
  if (file >= 0) close((int)file);
  return file >= 0 || errno != ENOSYS;
}

bool cintruder_handles_faults(void) {
  long file = syscall(SYS_userfaultfd, 1 /* UFFD_USER_MODE_ONLY */);
  if (file >= 0) close((int)file);
  return file >= 0;
}

bool cintruder_loads_program(void) {
  union bpf_attr attributes = {
      .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
  long file = syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes);
  if (file >= 0) close((int)file);
  return file >= 0;
}

bool cintruder_mounts(const char *folder) {
  if (mount("none", folder, "tmpfs", 0, NULL) == 0) {
    umount2(folder, MNT_DETACH);
    return true;
  }
  long file = syscall(SYS_open_tree, AT_FDCWD, folder, 1u /* OPEN_TREE_CLONE */);
  if (file >= 0) close((int)file);
  return file >= 0;
}

bool cintruder_unshares(void) {
  // Where it is allowed this process would be another afterwards; asked with nothing to unshare.
  return syscall(SYS_unshare, 0) == 0;
}

bool cintruder_adds_key(void) {
  long key = syscall(SYS_add_key, "user", "minilab-intruder", "a", 1, -1 /* this thread's */);
  return key >= 0;
}

bool cintruder_counts_events(void) {
  struct perf_event_attr attributes = {
      .type = PERF_TYPE_SOFTWARE,
      .size = sizeof attributes,
      .config = PERF_COUNT_SW_DUMMY,
      .exclude_kernel = 1,
  };
  long file = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
  if (file >= 0) close((int)file);
  return file >= 0;
}

bool cintruder_raises_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_max == RLIM_INFINITY) return false;
  struct rlimit wanted = {limit.rlim_cur, limit.rlim_max + 4096};
  if (setrlimit(RLIMIT_DATA, &wanted) != 0) return false;
  setrlimit(RLIMIT_DATA, &limit);
  return true;
}

bool cintruder_limits_other(pid_t process) {
  struct rlimit limit;
  return prlimit(process, RLIMIT_NOFILE, NULL, &limit) == 0;
}

bool cintruder_outlives(void) {
  int signal = 0;
  prctl(PR_GET_PDEATHSIG, &signal);
  return prctl(PR_SET_PDEATHSIG, signal) == 0;
}

bool cintruder_changes_flags(const char *path) {
  int file = open(path, O_RDONLY);
  if (file < 0) return false;
  int flags = 0;
  bool free = ioctl(file, FS_IOC_GETFLAGS, &flags) == 0 && ioctl(file, FS_IOC_SETFLAGS, &flags) == 0;
  close(file);
  return free;
}

bool cintruder_sets_attribute(const char *path) {
  if (setxattr(path, "user.intruder", "a", 1, 0) == 0) return true;
  // setxattrat, Linux 6.13.
  struct {
    uint64_t value;
    uint32_t size;
    uint32_t flags;
  } arguments = {(uint64_t)(uintptr_t)"a", 1, 0};
  return syscall(463, AT_FDCWD, path, 0, "user.intruder", &arguments, sizeof arguments) == 0;
}

bool cintruder_opens_by_handle(const char *path) {
  struct {
    struct file_handle head;
    unsigned char room[128];
  } handle = {.head = {.handle_bytes = 128}};
  int mount;
  return name_to_handle_at(AT_FDCWD, path, &handle.head, &mount, 0) == 0;
}

bool cintruder_makes_device(const char *path) { return mknod(path, S_IFCHR | 0600, 0x103) == 0; }

bool cintruder_changes_root(const char *folder) {
  // Of the folder that is the root already nothing would change.
  (void)folder;
  return chroot("/") == 0;
}

bool cintruder_listens_to_names(const char *folder) {
  int file = inotify_init1(0);
  if (file < 0) return false;
  bool free = inotify_add_watch(file, folder, IN_CREATE) >= 0;
  close(file);
  return free;
}

bool cintruder_reads_kernel_log(void) {
  return syscall(SYS_syslog, 10 /* SYSLOG_ACTION_SIZE_BUFFER */, NULL, 0) >= 0;
}

bool cintruder_shares_memory(void) {
  int segment = shmget(IPC_PRIVATE, 4096, 0600);
  if (segment >= 0) shmctl(segment, IPC_RMID, NULL);
  return segment >= 0;
}

bool cintruder_uses_32_bits(void) {
#if defined(__x86_64__)
  // The numbers of x32: getpid.
  return syscall(0x40000000 | SYS_getpid) > 0;
#else
  return false;
#endif
}
