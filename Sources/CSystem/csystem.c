#define _GNU_SOURCE
#include "csystem.h"

#include <malloc.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/fs.h>

extern char **environ;

char **csystem_environment(void) { return environ; }

// The first descriptor that no file action writes to.
enum { FIRST_FREE = 10 };

static void interrupts(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGINT);
  sigaddset(set, SIGTERM);
  sigaddset(set, SIGHUP);
}

static int prepare(const struct csystem_worker *worker, posix_spawn_file_actions_t *actions,
                   posix_spawnattr_t *attributes, int requests, int replies, int lock) {
  int error = posix_spawn_file_actions_adddup2(actions, requests, 0);
  if (!error) error = posix_spawn_file_actions_addopen(actions, 1, "/dev/null", O_WRONLY, 0);
  if (!error && !worker->keeps_standard_error)
    error = posix_spawn_file_actions_addopen(actions, 2, "/dev/null", O_WRONLY, 0);
  if (!error) error = posix_spawn_file_actions_adddup2(actions, replies, 3);
  if (!error && lock >= 0) error = posix_spawn_file_actions_adddup2(actions, lock, 4);

  sigset_t blocked, defaults;
  interrupts(&blocked);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  if (!error) error = posix_spawnattr_setsigmask(attributes, &blocked);
  if (!error) error = posix_spawnattr_setsigdefault(attributes, &defaults);
  if (!error)
    error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  return error;
}

int csystem_spawn(const struct csystem_worker *worker, pid_t *process) {
  // Copies with high numbers, so that no action overwrites what a later one reads.
  int requests = fcntl(worker->requests, F_DUPFD_CLOEXEC, FIRST_FREE);
  int replies = fcntl(worker->replies, F_DUPFD_CLOEXEC, FIRST_FREE);
  int lock = worker->lock < 0 ? -1 : fcntl(worker->lock, F_DUPFD_CLOEXEC, FIRST_FREE);
  int error = requests < 0 || replies < 0 || (worker->lock >= 0 && lock < 0) ? errno : 0;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (!error) {
    error = posix_spawn_file_actions_init(&actions);
    if (!error) {
      error = posix_spawnattr_init(&attributes);
      if (!error) {
        error = prepare(worker, &actions, &attributes, requests, replies, lock);
        if (!error)
          error = posix_spawn(process, worker->path, &actions, &attributes, worker->arguments,
                              worker->environment);
        posix_spawnattr_destroy(&attributes);
      }
      posix_spawn_file_actions_destroy(&actions);
    }
  }
  if (requests >= 0) close(requests);
  if (replies >= 0) close(replies);
  if (lock >= 0) close(lock);
  return error;
}

int csystem_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }

int csystem_ignore_interrupts(void) {
  if (signal(SIGINT, SIG_IGN) == SIG_ERR) return -1;
  if (signal(SIGTERM, SIG_IGN) == SIG_ERR) return -1;
  if (signal(SIGHUP, SIG_IGN) == SIG_ERR) return -1;
  return csystem_unblock_interrupts();
}

// `nohup` sets SIGHUP to be ignored, and means it.
static bool hangup_counts(void) {
  struct sigaction action;
  return sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler != SIG_IGN;
}

static volatile sig_atomic_t exit_status;

static void end(int signal) {
  (void)signal;
  _exit(exit_status);
}

int csystem_exit_on_interrupts(int status) {
  exit_status = status;
  struct sigaction action = {.sa_handler = end};
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGINT, &action, NULL) || sigaction(SIGTERM, &action, NULL)) return -1;
  if (hangup_counts() && sigaction(SIGHUP, &action, NULL)) return -1;
  // Who started this program may have blocked them, and meant its own threads.
  return csystem_unblock_interrupts();
}

int csystem_let_writes_fail(void) {
  return signal(SIGPIPE, SIG_IGN) == SIG_ERR || signal(SIGXFSZ, SIG_IGN) == SIG_ERR ? -1 : 0;
}

int csystem_open_interrupts(void) {
  sigset_t set;
  interrupts(&set);
  if (!hangup_counts()) sigdelset(&set, SIGHUP);
  sigaddset(&set, SIGCONT);
  int error = pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (error) {
    errno = error;
    return -1;
  }
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int csystem_read_interrupt(int descriptor) {
  struct signalfd_siginfo info;
  ssize_t count = read(descriptor, &info, sizeof info);
  if (count == (ssize_t)sizeof info) return (int)info.ssi_signo;
  return count < 0 && errno != EAGAIN ? -1 : 0;
}

int csystem_unblock_interrupts(void) {
  sigset_t set;
  interrupts(&set);
  sigaddset(&set, SIGCONT);
  int error = pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  if (error) errno = error;
  return error ? -1 : 0;
}

int csystem_affinity_count(void) {
  // The kernel refuses a set that is smaller than its own.
  for (int size = 1024; size <= 1 << 20; size *= 2) {
    cpu_set_t *set = CPU_ALLOC(size);
    if (!set) return -1;
    int result = sched_getaffinity(0, CPU_ALLOC_SIZE(size), set);
    int count = result == 0 ? CPU_COUNT_S(CPU_ALLOC_SIZE(size), set) : -1;
    CPU_FREE(set);
    if (result == 0) return count;
    if (errno != EINVAL) return -1;
  }
  return -1;
}

int csystem_terminal_columns(int descriptor) {
  struct winsize size;
  if (!isatty(descriptor)) return 0;
  // A terminal that does not know its size (a serial line) gets the usual one.
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

int csystem_exchange(int from_folder, const char *from, int to_folder, const char *to) {
  return renameat2(from_folder, from, to_folder, to, RENAME_EXCHANGE);
}

int csystem_rename_new(int from_folder, const char *from, int to_folder, const char *to) {
  return renameat2(from_folder, from, to_folder, to, RENAME_NOREPLACE);
}

int csystem_file_system(int descriptor, uint64_t *device, uint64_t *mount) {
  struct statx status;
  if (statx(descriptor, "", AT_EMPTY_PATH, STATX_MNT_ID, &status)) return -1;
  *device = makedev(status.stx_dev_major, status.stx_dev_minor);
  *mount = status.stx_mask & STATX_MNT_ID ? status.stx_mnt_id : 0;
  return 0;
}

int csystem_is_on_network(const char *path) {
  struct statfs system;
  if (statfs(path, &system)) return -1;
  // From <linux/magic.h> and statfs(2): NFS, SMB, SMB 2, CIFS, Coda, AFS (two), Ceph, 9P, GFS 2,
  // OCFS 2, Lustre, NCP, and FUSE, behind which sshfs and others are.
  switch ((uint32_t)system.f_type) {
    case 0x6969: case 0x517b: case 0xfe534d42: case 0xff534d42: case 0x73757245: case 0x5346414f:
    case 0x6b414653: case 0x00c36400: case 0x01021997: case 0x01161970: case 0x7461636f:
    case 0x0bd00bd0: case 0x564c: case 0x65735546:
      return 1;
    default:
      return 0;
  }
}

int csystem_pipe(int *ends) { return pipe2(ends, O_CLOEXEC); }

int csystem_lock(int descriptor, bool waits) {
  return flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB);
}

pid_t csystem_wait(pid_t process, struct csystem_ending *ending) {
  int status;
  struct rusage usage;
  pid_t ended = wait4(process, &status, 0, &usage);
  if (ended < 0) return ended;
  ending->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ending->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  ending->peak_memory = (int64_t)usage.ru_maxrss * 1024;
  return ended;
}

int csystem_clone(int to, int from) {
  return ioctl(to, FICLONE, from);
}

void csystem_keep_memory(void) {
  // A page that is asked for anew costs a microsecond, and a large picture has tens of thousands of
  // them: of the processor time for photographs a seventh went there. So what a picture leaves is kept for
  // the next one, in one heap, whose top is given back only beyond what csystem_trim_memory is told to keep
  // at most. With glibc's own moving threshold, and an arena for each thread, it would be held twice.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TRIM_THRESHOLD, 128 << 20);
}

void csystem_trim_memory(size_t kept) {
  if (mallinfo2().fordblks > kept) malloc_trim(0);
}
