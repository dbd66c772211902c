#define _GNU_SOURCE
#include "csystem.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// The largest request since the last call of csystem_forget_refusals that got no memory; 0 for none.
static _Atomic size_t refused;
// How the process ends then, where a library gives up.
static volatile sig_atomic_t refused_status;

void csystem_forget_refusals(void) { atomic_store(&refused, 0); }

size_t csystem_refused(void) { return atomic_load(&refused); }

static void give_up(int number) {
  if (atomic_load(&refused) > 0) _exit(refused_status);
  signal(number, SIG_DFL);
  raise(number);
}

int csystem_exit_on_refusals(int status) {
  refused_status = status;
  // A library that gets no memory ends the process (abort, or a trap), or goes on without looking.
  static const int numbers[] = {SIGABRT, SIGTRAP, SIGILL, SIGSEGV, SIGBUS};
  struct sigaction action = {.sa_handler = give_up, .sa_flags = SA_NODEFER};
  sigemptyset(&action.sa_mask);
  for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++)
    if (sigaction(numbers[index], &action, NULL)) return -1;
  return 0;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)

// What the C library calls "replacing malloc": all of its functions that hand out memory, or none. These are its own,
// with an eye on what they refuse.

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void *__libc_valloc(size_t);
extern void *__libc_pvalloc(size_t);
extern void __libc_free(void *);

// More than any machine has: nobody was refused memory who asked for that, but has misread a number.
static const size_t nonsense = (size_t)1 << 44;

static inline void *seen(void *memory, size_t size) {
  if (__builtin_expect(memory == NULL, 0) && size > 0 && size < nonsense) {
    size_t largest = atomic_load(&refused);
    while (size > largest && !atomic_compare_exchange_weak(&refused, &largest, size)) {
    }
  }
  return memory;
}

void *malloc(size_t size) { return seen(__libc_malloc(size), size); }

void *calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = 0;
  return seen(__libc_calloc(count, size), bytes);
}

void *realloc(void *memory, size_t size) { return seen(__libc_realloc(memory, size), size); }

void free(void *memory) { __libc_free(memory); }

void *memalign(size_t alignment, size_t size) {
  return seen(__libc_memalign(alignment, size), size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  return seen(__libc_memalign(alignment, size), size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
    return EINVAL;
  int before = errno;
  void *made = seen(__libc_memalign(alignment, size), size);
  errno = before;
  if (made == NULL) return ENOMEM;
  *memory = made;
  return 0;
}

// A thread's stack is memory that the C library asks for by itself, and a refusal looks like one thread too many: so it
// is asked for once more.
static void see_stack(const pthread_attr_t *attributes) {
  size_t size = 0;
  pthread_attr_t usual;
  if (attributes != NULL) {
    pthread_attr_getstacksize(attributes, &size);
  } else if (pthread_getattr_default_np(&usual) == 0) {
    pthread_attr_getstacksize(&usual, &size);
    pthread_attr_destroy(&usual);
  }
  if (size == 0) return;
  void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) {
    seen(NULL, size);
  } else {
    munmap(stack, size);
  }
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  typedef int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  static _Atomic(create) own;
  create known = atomic_load(&own);
  if (known == NULL) {
    known = (create)dlsym(RTLD_NEXT, "pthread_create");
    if (known == NULL) return EAGAIN;
    atomic_store(&own, known);
  }
  int error = known(thread, attributes, body, argument);
  if (error != EAGAIN) return error;
  see_stack(attributes);
  // Libraries wait for ever for a thread that they believe to be there.
  if (atomic_load(&refused) > 0 && refused_status != 0) _exit(refused_status);
  return error;
}

void *valloc(size_t size) { return seen(__libc_valloc(size), size); }

void *pvalloc(size_t size) { return seen(__libc_pvalloc(size), size); }

#endif
