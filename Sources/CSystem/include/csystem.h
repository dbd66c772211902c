// System calls and macros that Swift cannot reach by itself. Thin: each function is one call, sets
// errno as the call does, and retries nothing. Nothing here allocates for the caller.
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

/// What a worker is started with. Descriptors are the caller's and stay open.
struct csystem_worker {
  const char *path;
  /// Ended by NULL.
  char *_Nullable const *_Nonnull arguments;
  /// Ended by NULL.
  char *_Nullable const *_Nonnull environment;
  /// Becomes descriptor 0.
  int requests;
  /// Becomes descriptor 3.
  int replies;
  /// Becomes descriptor 4; -1 for none.
  int lock;
  /// Descriptor 2 stays the caller's; else it is /dev/null, as 1 always is.
  bool keeps_standard_error;
};

/// posix_spawn with SIGINT, SIGTERM and SIGHUP blocked and SIGPIPE at its default.
/// Returns 0 or an error number, as posix_spawn does; errno is left alone.
int csystem_spawn(const struct csystem_worker *worker, pid_t *process);

/// The environment of this process, ended by NULL. Owned by the C library.
char *_Nullable *_Nonnull csystem_environment(void);

/// This process is killed when the thread that started it ends.
int csystem_die_with_parent(void);

/// Ignores SIGINT, SIGTERM and SIGHUP, and lets them through to be ignored.
int csystem_ignore_interrupts(void);

/// SIGINT, SIGTERM, and SIGHUP where it is not ignored, end the process with this status at once.
int csystem_exit_on_interrupts(int status);

/// A write to a closed pipe, or past the limit of a file's size, fails instead of ending the process.
int csystem_let_writes_fail(void);

/// Blocks the interrupts above and SIGCONT in this thread and gives a descriptor that reports
/// them; -1 on error.
int csystem_open_interrupts(void);

/// The next signal that is waiting, 0 where there is none, -1 on error.
int csystem_read_interrupt(int descriptor);

/// Undoes the blocking of csystem_open_interrupts.
int csystem_unblock_interrupts(void);

/// How many processors this process may run on; -1 on error.
int csystem_affinity_count(void);

/// Columns of a terminal; 0 where the descriptor is none.
int csystem_terminal_columns(int descriptor);

/// Swaps two names in one step (renameat2 with RENAME_EXCHANGE).
int csystem_exchange(int from_folder, const char *from, int to_folder, const char *to);

/// Gives a name that nothing has (renameat2 with RENAME_NOREPLACE).
int csystem_rename_new(int from_folder, const char *from, int to_folder, const char *to);

/// Device and mount of an open file: two files with equal values can be renamed into each other's
/// folders. The mount is 0 where the kernel does not tell.
int csystem_file_system(int descriptor, uint64_t *device, uint64_t *mount);

/// 1 where a path lies on a file system that other machines can write to, or that is a program's; 0
/// where it does not; -1 on error.
int csystem_is_on_network(const char *path);

/// pipe2 with O_CLOEXEC: where to read, where to write.
int csystem_pipe(int *ends);

/// flock(2), whose name is also a struct.
int csystem_lock(int descriptor, bool waits);

/// Lets an empty file share another one's blocks (FICLONE). -1 where the file system cannot.
int csystem_clone(int to, int from);

/// Keeps memory that is free for what comes next, up to a bound.
void csystem_keep_memory(void);

/// Gives back to the system what is free, where that is more than so many bytes.
void csystem_trim_memory(size_t kept);

/// Forgets what was refused until now.
void csystem_forget_refusals(void);

/// The largest piece of memory, in bytes, that somebody in this process has asked for since then and was refused; 0 for
/// none. All requests are seen, whichever library makes them; under a sanitizer, and without glibc, none.
size_t csystem_refused(void);

/// Lets the process end with this status, in place of a signal, where a library gives up after it was refused memory.
int csystem_exit_on_refusals(int status);

/// What wait4 says of a child that has ended.
struct csystem_ending {
  /// 0 where it ended by itself.
  int signal;
  /// Of one that ended by itself.
  int status;
  /// The most memory it held, in bytes.
  int64_t peak_memory;
};

/// Waits for the end of a child. Returns its process ID, or -1.
pid_t csystem_wait(pid_t process, struct csystem_ending *ending);

#pragma clang assume_nonnull end
