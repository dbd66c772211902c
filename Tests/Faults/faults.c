// Loaded before the C library (LD_PRELOAD) by Tests/Faults/run: counts the calls that a program makes on
// some files, and lets one of them go wrong, be late, or be the last one.
//
// What is to happen stands in MINILAB_FAULT, words with values parted by spaces:
//   call=write     the family of calls that count, as in `families` below
//   side=out       out, in, ledger, report or any: on which files
//   role=any       coordinator, worker or any: in which processes
//   at=5           from which of these calls on, counted over all processes
//   times=1        how many go wrong; 0: all from there on
//   do=error:28    error:ERRNO, short, kill (before the call), killed (after it), or delay:MICROSECONDS
// MINILAB_FAULT_FILE is a file of one page that all processes share: the counts, and what is done.
// MINILAB_FAULT_OUT and MINILAB_FAULT_IN are the folders. MINILAB_FAULT_BOOT, where it is set, is read in
// place of the machine's boot ID, and MINILAB_FAULT_CLOCK is added to the time, in seconds.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum family { OPEN, READ, WRITE, FLUSH, RENAME, MKDIR, CUT, CLOSE, STAT, UNLINK, LIST, FAMILIES };
static const char *const families[FAMILIES] = {
  "open", "read", "write", "flush", "rename", "mkdir", "cut", "close", "stat", "unlink", "list"};
enum side { OUT, IN, LEDGER, REPORT, SIDES };
static const char *const sides[SIDES] = {"out", "in", "ledger", "report"};
enum role { COORDINATOR, WORKER, ROLES };

enum deed { NOTHING, ERROR, SHORT, KILL, KILLED, DELAY };

// Read by injector.py, which knows this layout.
struct shared {
  _Atomic uint32_t counts[FAMILIES][SIDES][ROLES];
  _Atomic uint32_t matched;
  _Atomic uint32_t fired;
  // How much of the ledger's journal has been brought to the disk.
  _Atomic uint64_t synced_journal;
  // What was hit last.
  char victim[512];
};

static struct shared *shared;
static struct {
  int family, side, role;
  uint32_t at, times;
  enum deed deed;
  int value;
} plan = {.family = -1, .side = -1, .role = -1, .at = 1, .times = 1};
static enum role role;
static char out[PATH_MAX], in[PATH_MAX], boot[PATH_MAX];
static long long clock_shift;

static int find(const char *const *names, int count, const char *name) {
  for (int index = 0; index < count; index++)
    if (!strcmp(names[index], name)) return index;
  return -1;
}

static void read_plan(const char *text) {
  char copy[256];
  snprintf(copy, sizeof copy, "%s", text);
  char *rest = copy;
  for (char *word; (word = strsep(&rest, " "));) {
    char *value = strchr(word, '=');
    if (!value) continue;
    *value++ = 0;
    if (!strcmp(word, "call")) plan.family = find(families, FAMILIES, value);
    if (!strcmp(word, "side")) plan.side = find(sides, SIDES, value);
    if (!strcmp(word, "role"))
      plan.role = !strcmp(value, "worker") ? WORKER : !strcmp(value, "coordinator") ? COORDINATOR : -1;
    if (!strcmp(word, "at")) plan.at = (uint32_t)strtoul(value, NULL, 10);
    if (!strcmp(word, "times")) plan.times = (uint32_t)strtoul(value, NULL, 10);
    if (strcmp(word, "do")) continue;
    char *number = strchr(value, ':');
    if (number) plan.value = atoi(number + 1);
    plan.deed = !strncmp(value, "error", 5) ? ERROR
      : !strcmp(value, "short") ? SHORT
      : !strcmp(value, "kill") ? KILL
      : !strcmp(value, "killed") ? KILLED
      : !strncmp(value, "delay", 5) ? DELAY : NOTHING;
  }
}

__attribute__((constructor)) static void begin(void) {
  const char *file = getenv("MINILAB_FAULT_FILE"), *text = getenv("MINILAB_FAULT");
  const char *value;
  if ((value = getenv("MINILAB_FAULT_OUT"))) snprintf(out, sizeof out, "%s", value);
  if ((value = getenv("MINILAB_FAULT_IN"))) snprintf(in, sizeof in, "%s", value);
  if ((value = getenv("MINILAB_FAULT_BOOT"))) snprintf(boot, sizeof boot, "%s", value);
  if ((value = getenv("MINILAB_FAULT_CLOCK"))) clock_shift = atoll(value);
  role = getenv("MINILAB_COORDINATOR") ? WORKER : COORDINATOR;
  if (text) read_plan(text);
  if (!file) return;
  int number = (int)syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC, 0);
  if (number < 0) return;
  void *page = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0);
  syscall(SYS_close, number);
  if (page != MAP_FAILED) shared = page;
}

// Where a descriptor leads; an empty text where nobody says.
static void path_of(int number, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", number);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
  path[length > 0 ? length : 0] = 0;
}

static void path_at(int folder, const char *name, char *path) {
  if (name && name[0] == '/') {
    snprintf(path, PATH_MAX, "%s", name);
    return;
  }
  char base[PATH_MAX] = "";
  if (folder == AT_FDCWD) {
    if (syscall(SYS_getcwd, base, sizeof base) < 0) base[0] = 0;
  } else {
    path_of(folder, base);
  }
  if (!name || !*name || !strcmp(name, ".")) snprintf(path, PATH_MAX, "%s", base);
  else if (snprintf(path, PATH_MAX, "%s/%s", base, name) >= PATH_MAX) path[0] = 0;
}

static bool is_below(const char *path, const char *folder) {
  size_t length = strlen(folder);
  return length && !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

// Counts a call on a file, and says what is to become of it.
static enum deed judge(enum family family, const char *path) {
  if (!shared || !path[0]) return NOTHING;
  bool is_out = is_below(path, out), is_in = is_below(path, in);
  if (!is_out && !is_in) return NOTHING;
  bool is_side[SIDES] = {
    [OUT] = is_out, [IN] = is_in && !is_out, [LEDGER] = is_out && strstr(path, "/ledger.sqlite"),
    [REPORT] = is_out && strstr(path, "/report.json")};
  for (int side = 0; side < SIDES; side++)
    if (is_side[side]) atomic_fetch_add(&shared->counts[family][side][role], 1);
  if (plan.deed == NOTHING || (plan.family >= 0 && plan.family != (int)family)) return NOTHING;
  if ((plan.side >= 0 && !is_side[plan.side]) || (plan.role >= 0 && plan.role != (int)role)) return NOTHING;
  uint32_t number = atomic_fetch_add(&shared->matched, 1) + 1;
  if (number < plan.at || (plan.times && number >= plan.at + plan.times)) return NOTHING;
  if (atomic_fetch_add(&shared->fired, 1) == 0)
    snprintf(shared->victim, sizeof shared->victim, "%s of %s in the %s", families[family], path,
             role == WORKER ? "worker" : "coordinator");
  if (plan.deed == KILL) syscall(SYS_kill, getpid(), SIGKILL);
  if (plan.deed == DELAY) {
    struct timespec time = {plan.value / 1000000, plan.value % 1000000 * 1000L};
    syscall(SYS_nanosleep, &time, NULL);
    return NOTHING;
  }
  return plan.deed;
}

static enum deed judge_number(enum family family, int number) {
  if (!shared || number < 0) return NOTHING;
  char path[PATH_MAX];
  path_of(number, path);
  return judge(family, path);
}

static enum deed judge_name(enum family family, int folder, const char *name) {
  if (!shared) return NOTHING;
  char path[PATH_MAX];
  path_at(folder, name, path);
  return judge(family, path);
}

// The next definition of a function of this name: the C library's own.
#define REAL(name) \
  static __typeof__(name) *real; \
  if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define FAIL(deed) \
  if ((deed) == ERROR) { errno = plan.value; return -1; }

// A call that is carried out as it is, fails, or is the last one.
#define PLAIN(deed, call) \
  do { \
    FAIL(deed) \
    __auto_type result = (call); \
    if ((deed) == KILLED) syscall(SYS_kill, getpid(), SIGKILL); \
    return result; \
  } while (0)

static size_t shortened(enum deed deed, size_t count) {
  return deed == SHORT && count > 1 ? (count + 1) / 3 + 1 : count;
}

static const char *replaced(const char *path) {
  return boot[0] && path && !strcmp(path, "/proc/sys/kernel/random/boot_id") ? boot : path;
}

// MARK: Names

#define MODE \
  mode_t mode = 0; \
  if (flags & (O_CREAT | O_TMPFILE)) { \
    va_list list; \
    va_start(list, flags); \
    mode = (mode_t)va_arg(list, int); \
    va_end(list); \
  }

#define OPENING(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    MODE \
    path = replaced(path); \
    enum deed deed = judge_name(OPEN, AT_FDCWD, path); \
    PLAIN(deed, real(path, flags, mode)); \
  }
OPENING(open)
OPENING(open64)

#define OPENING_AT(name) \
  int name(int folder, const char *path, int flags, ...) { \
    REAL(name); \
    MODE \
    path = replaced(path); \
    enum deed deed = judge_name(OPEN, folder, path); \
    PLAIN(deed, real(folder, path, flags, mode)); \
  }
OPENING_AT(openat)
OPENING_AT(openat64)

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  enum deed deed = judge_name(MKDIR, AT_FDCWD, path);
  PLAIN(deed, real(path, mode));
}

int mkdirat(int folder, const char *path, mode_t mode) {
  REAL(mkdirat);
  enum deed deed = judge_name(MKDIR, folder, path);
  PLAIN(deed, real(folder, path, mode));
}

int rename(const char *from, const char *to) {
  REAL(rename);
  enum deed deed = judge_name(RENAME, AT_FDCWD, to);
  PLAIN(deed, real(from, to));
}

int renameat(int from_folder, const char *from, int folder, const char *to) {
  REAL(renameat);
  enum deed deed = judge_name(RENAME, folder, to);
  PLAIN(deed, real(from_folder, from, folder, to));
}

int renameat2(int from_folder, const char *from, int folder, const char *to, unsigned flags) {
  REAL(renameat2);
  enum deed deed = judge_name(RENAME, folder, to);
  PLAIN(deed, real(from_folder, from, folder, to, flags));
}

int unlink(const char *path) {
  REAL(unlink);
  enum deed deed = judge_name(UNLINK, AT_FDCWD, path);
  PLAIN(deed, real(path));
}

int unlinkat(int folder, const char *path, int flags) {
  REAL(unlinkat);
  enum deed deed = judge_name(UNLINK, folder, path);
  PLAIN(deed, real(folder, path, flags));
}

#define STATUS(name, type) \
  int name(const char *path, struct type *status) { \
    REAL(name); \
    enum deed deed = judge_name(STAT, AT_FDCWD, path); \
    PLAIN(deed, real(path, status)); \
  }
STATUS(stat, stat)
STATUS(stat64, stat64)
STATUS(lstat, stat)
STATUS(lstat64, stat64)

#define STATUS_AT(name, type) \
  int name(int folder, const char *path, struct type *status, int flags) { \
    REAL(name); \
    enum deed deed = judge_name(STAT, folder, path); \
    PLAIN(deed, real(folder, path, status, flags)); \
  }
STATUS_AT(fstatat, stat)
STATUS_AT(fstatat64, stat64)

#define STATUS_OF(name, type) \
  int name(int number, struct type *status) { \
    REAL(name); \
    enum deed deed = judge_number(STAT, number); \
    PLAIN(deed, real(number, status)); \
  }
STATUS_OF(fstat, stat)
STATUS_OF(fstat64, stat64)

// MARK: Contents

ssize_t read(int number, void *buffer, size_t count) {
  REAL(read);
  enum deed deed = judge_number(READ, number);
  PLAIN(deed, real(number, buffer, shortened(deed, count)));
}

#define READING_AT(name, offset_type) \
  ssize_t name(int number, void *buffer, size_t count, offset_type offset) { \
    REAL(name); \
    enum deed deed = judge_number(READ, number); \
    PLAIN(deed, real(number, buffer, shortened(deed, count), offset)); \
  }
READING_AT(pread, off_t)
READING_AT(pread64, off64_t)

ssize_t write(int number, const void *buffer, size_t count) {
  REAL(write);
  enum deed deed = judge_number(WRITE, number);
  PLAIN(deed, real(number, buffer, shortened(deed, count)));
}

#define WRITING_AT(name, offset_type) \
  ssize_t name(int number, const void *buffer, size_t count, offset_type offset) { \
    REAL(name); \
    enum deed deed = judge_number(WRITE, number); \
    PLAIN(deed, real(number, buffer, shortened(deed, count), offset)); \
  }
WRITING_AT(pwrite, off_t)
WRITING_AT(pwrite64, off64_t)

ssize_t writev(int number, const struct iovec *parts, int count) {
  REAL(writev);
  enum deed deed = judge_number(WRITE, number);
  PLAIN(deed, real(number, parts, deed == SHORT && count > 1 ? 1 : count));
}

#define CUTTING(name, length_type) \
  int name(int number, length_type length) { \
    REAL(name); \
    enum deed deed = judge_number(CUT, number); \
    PLAIN(deed, real(number, length)); \
  }
CUTTING(ftruncate, off_t)
CUTTING(ftruncate64, off64_t)

// A journal of which this much is on the disk: a power cut takes nothing of it.
static void note_flush(int number) {
  if (!shared) return;
  char path[PATH_MAX];
  path_of(number, path);
  size_t length = strlen(path);
  if (length < 4 || strcmp(path + length - 4, "-wal")) return;
  off_t end = (off_t)syscall(SYS_lseek, number, 0, SEEK_END);
  atomic_store(&shared->synced_journal, end > 0 ? (uint64_t)end : 0);
}

#define FLUSHING(name) \
  int name(int number) { \
    REAL(name); \
    enum deed deed = judge_number(FLUSH, number); \
    FAIL(deed) \
    int result = real(number); \
    if (result == 0) note_flush(number); \
    if (deed == KILLED) syscall(SYS_kill, getpid(), SIGKILL); \
    return result; \
  }
FLUSHING(fdatasync)
FLUSHING(fsync)

// The kernel closes a file also where it reports an error of it.
int close(int number) {
  REAL(close);
  enum deed deed = judge_number(CLOSE, number);
  int result = real(number);
  FAIL(deed)
  if (deed == KILLED) syscall(SYS_kill, getpid(), SIGKILL);
  return result;
}

// MARK: Folders

#define LISTING(name, type) \
  struct type *name(DIR *folder) { \
    REAL(name); \
    if (judge_number(LIST, dirfd(folder)) == ERROR) { \
      errno = plan.value; \
      return NULL; \
    } \
    return real(folder); \
  }
LISTING(readdir, dirent)
LISTING(readdir64, dirent64)

// MARK: The clock

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += clock_shift;
  return result;
}

int gettimeofday(struct timeval *value, void *zone) {
  (void)zone;
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
  value->tv_sec = now.tv_sec;
  value->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *value) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
  if (value) *value = now.tv_sec;
  return now.tv_sec;
}
