// FakeCamera DESCRIPTIONS FOLDER
//
// Cameras without hardware: for each file of the folder DESCRIPTIONS there is one of the same name in
// FOLDER, which answers as a video device does. open, ioctl, poll and mmap go through the kernel to
// this program (FUSE), so several processes see one and the same device. It ends, and FOLDER is empty
// again, when its standard input ends or at SIGTERM; a line "ready" says that the cameras are there.
//
// They are regular files, which is all that FUSE has, and know no read(2) and no extended controls.
#define _GNU_SOURCE
#include "camera.h"

#include <stdio.h>
#include <unistd.h>

#if __has_include(<fuse_lowlevel.h>)
#define FUSE_USE_VERSION 35
#include <dirent.h>
#include <errno.h>
#include <fuse_lowlevel.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

enum { MOST_CAMERAS = 32, FIRST_INODE = 2 };

static struct {
  char name[64];
  struct camera camera;
} cameras[MOST_CAMERAS];
static unsigned camera_count;
static struct fuse_session *session;
static uint64_t last_handle;

// A camera that was plugged in again is another file.
static fuse_ino_t inode_of(unsigned index, int generation) {
  return FIRST_INODE + index + (fuse_ino_t)generation * MOST_CAMERAS;
}

static unsigned index_of(fuse_ino_t inode) { return (inode - FIRST_INODE) % MOST_CAMERAS; }

// NULL where the file is that of a camera that was unplugged since.
static struct camera *camera_of(fuse_ino_t inode) {
  if (inode < FIRST_INODE || index_of(inode) >= camera_count) return NULL;
  struct camera *camera = &cameras[index_of(inode)].camera;
  int generation = camera_generation(camera);
  return generation >= 0 && inode == inode_of(index_of(inode), generation) ? camera : NULL;
}

static struct stat attributes(fuse_ino_t inode) {
  struct stat status = {.st_ino = inode, .st_nlink = 1};
  status.st_mode = inode == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0666;
  // As large as any buffers: what lies behind the end cannot be mapped.
  status.st_size = inode == FUSE_ROOT_ID ? 0 : 1 << 30;
  return status;
}

static void on_lookup(fuse_req_t request, fuse_ino_t parent, const char *name) {
  (void)parent;
  for (unsigned i = 0; i < camera_count; i++) {
    int generation = camera_generation(&cameras[i].camera);
    if (strcmp(name, cameras[i].name) || generation < 0) continue;
    struct fuse_entry_param entry = {.ino = inode_of(i, generation)};
    entry.attr = attributes(entry.ino);
    fuse_reply_entry(request, &entry);
    return;
  }
  fuse_reply_err(request, ENOENT);
}

static void on_getattr(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file) {
  (void)file;
  struct stat status = attributes(inode);
  fuse_reply_attr(request, &status, 0);
}

static void on_readdir(
    fuse_req_t request, fuse_ino_t inode, size_t room, off_t offset, struct fuse_file_info *file) {
  (void)inode, (void)file;
  char *bytes = malloc(room);
  size_t used = 0;
  for (unsigned i = (unsigned)offset; i < camera_count; i++) {
    int generation = camera_generation(&cameras[i].camera);
    if (generation < 0) continue;
    struct stat status = attributes(inode_of(i, generation));
    size_t length =
        fuse_add_direntry(request, bytes + used, room - used, cameras[i].name, &status, i + 1);
    if (length > room - used) break;
    used += length;
  }
  fuse_reply_buf(request, bytes, used);
  free(bytes);
}

static void on_open(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file) {
  struct camera *camera = camera_of(inode);
  int refusal = !camera ? ENODEV : camera->description.refusal;
  if (refusal) {
    fuse_reply_err(request, refusal);
    return;
  }
  file->fh = __atomic_add_fetch(&last_handle, 1, __ATOMIC_SEQ_CST);
  fuse_reply_open(request, file);
}

static void on_release(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file) {
  struct camera *camera = camera_of(inode);
  if (camera) camera_release(camera, file->fh);
  fuse_reply_err(request, 0);
}

// Pages of the mapped buffers.
static void on_read(
    fuse_req_t request, fuse_ino_t inode, size_t count, off_t offset, struct fuse_file_info *file) {
  (void)file;
  uint8_t *bytes = calloc(1, count);
  struct camera *camera = camera_of(inode);
  if (camera) camera_read(camera, bytes, count, (uint64_t)offset);
  fuse_reply_buf(request, (char *)bytes, count);
  free(bytes);
}

// The planes of a buffer are an array in the caller, who waits within the call.
static bool move_planes(fuse_req_t request, struct v4l2_plane *ours, struct v4l2_plane *theirs, bool back) {
  struct iovec local = {ours, sizeof *ours}, remote = {theirs, sizeof *ours};
  pid_t process = fuse_req_ctx(request)->pid;
  ssize_t count = back ? process_vm_writev(process, &local, 1, &remote, 1, 0)
                       : process_vm_readv(process, &local, 1, &remote, 1, 0);
  return count == (ssize_t)sizeof *ours;
}

static bool is_of_buffer(unsigned long command) {
  return command == VIDIOC_QUERYBUF || command == VIDIOC_QBUF || command == VIDIOC_DQBUF;
}

static void on_ioctl(
    fuse_req_t request,
    fuse_ino_t inode,
    unsigned command,
    void *argument,
    struct fuse_file_info *file,
    unsigned flags,
    const void *in,
    size_t in_count,
    size_t out_count) {
  (void)argument;
  struct camera *camera = camera_of(inode);
  // As large as the largest that a command can say.
  _Alignas(16) char bytes[1 << _IOC_SIZEBITS] = {0};
  if (flags & FUSE_IOCTL_DIR || in_count > sizeof bytes || out_count > sizeof bytes) {
    fuse_reply_err(request, ENOTTY);
    return;
  }
  if (!camera) {
    fuse_reply_err(request, ENODEV);
    return;
  }
  memcpy(bytes, in, in_count);
  struct v4l2_buffer *buffer = is_of_buffer(command) ? (struct v4l2_buffer *)bytes : NULL;
  struct v4l2_plane plane, *planes = NULL;
  if (buffer && buffer->type == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE) {
    planes = buffer->m.planes;
    if (buffer->length < 1 || !move_planes(request, &plane, planes, false)) {
      fuse_reply_err(request, EFAULT);
      return;
    }
    buffer->m.planes = &plane;
  }
  int result = camera_request(camera, file->fh, command, bytes);
  if (planes) {
    buffer->m.planes = planes;
    if (result == 0 && !move_planes(request, &plane, planes, true)) result = -EFAULT;
  }
  if (result < 0) {
    fuse_reply_err(request, -result);
    return;
  }
  if (command == VIDIOC_DQBUF) {
    // The caller's pages still show the frame before.
    uint32_t offset = planes ? plane.m.mem_offset : buffer->m.offset;
    uint32_t length = planes ? plane.length : buffer->length;
    fuse_lowlevel_notify_inval_inode(session, inode, offset, length);
  }
  fuse_reply_ioctl(request, 0, bytes, out_count);
}

struct waiter {
  struct fuse_pollhandle *handle;
  struct camera *camera;
};

// Wakes a poll when a frame is there. It looks often instead of being told: what else can happen,
// such as the end of the stream, is rare.
static void *wake(void *argument) {
  struct waiter *waiter = argument;
  short events;
  for (;;) {
    int64_t wait = camera_wait(waiter->camera, &events);
    if (wait == 0) break;
    int64_t most = 5000000;
    struct timespec nap = {0, wait < 0 || wait > most ? most : wait};
    nanosleep(&nap, NULL);
  }
  fuse_lowlevel_notify_poll(waiter->handle);
  fuse_pollhandle_destroy(waiter->handle);
  free(waiter);
  return NULL;
}

static void on_poll(
    fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file, struct fuse_pollhandle *handle) {
  (void)file;
  struct camera *camera = camera_of(inode);
  short events = POLLERR | POLLHUP;
  int64_t wait = camera ? camera_wait(camera, &events) : 0;
  if (handle && wait != 0) {
    struct waiter *waiter = malloc(sizeof *waiter);
    *waiter = (struct waiter){handle, camera};
    pthread_t thread;
    if (pthread_create(&thread, NULL, wake, waiter) == 0) pthread_detach(thread);
  } else if (handle) {
    fuse_pollhandle_destroy(handle);
  }
  fuse_reply_poll(request, (unsigned)(unsigned short)events);
}

static const struct fuse_lowlevel_ops operations = {
    .lookup = on_lookup,
    .getattr = on_getattr,
    .readdir = on_readdir,
    .open = on_open,
    .release = on_release,
    .read = on_read,
    .ioctl = on_ioctl,
    .poll = on_poll,
};

static bool read_camera(const char *folder, const char *name) {
  char path[4096];
  static char text[1 << 16];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "re");
  if (!file) {
    perror(path);
    return false;
  }
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  struct description description;
  if (camera_count == MOST_CAMERAS || !description_read(&description, text, path)) return false;
  snprintf(cameras[camera_count].name, sizeof cameras[0].name, "%s", name);
  camera_start(&cameras[camera_count++].camera, &description);
  return true;
}

static bool read_cameras(const char *path) {
  struct dirent **entries;
  int count = scandir(path, &entries, NULL, alphasort);
  if (count < 0) {
    perror(path);
    return false;
  }
  for (int i = 0; i < count; i++)
    if (entries[i]->d_name[0] != '.' && !read_camera(path, entries[i]->d_name)) return false;
  return true;
}

// Ends with whoever has started this program, however that ends.
static void *watch_input(void *argument) {
  (void)argument;
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) continue;
  kill(getpid(), SIGTERM);
  return NULL;
}

int main(int count, char **arguments) {
  // It lives for long: pipes of other tests, which it has inherited, must not stay open in it.
  close_range(3, ~0U, 0);
  if (count != 3) {
    fprintf(stderr, "usage: FakeCamera DESCRIPTIONS FOLDER\n");
    return 64;
  }
  if (!read_cameras(arguments[1])) return 1;
  char *options[] = {arguments[0], "-ofsname=fakecamera", NULL};
  struct fuse_args fuse_arguments = FUSE_ARGS_INIT(2, options);
  session = fuse_session_new(&fuse_arguments, &operations, sizeof operations, NULL);
  if (!session || fuse_set_signal_handlers(session) || fuse_session_mount(session, arguments[2]))
    return 1;
  // The end of the session is a signal to this very thread, and whoever starts this program may have
  // blocked it.
  sigset_t signals;
  sigfillset(&signals);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  pthread_t watcher;
  pthread_create(&watcher, NULL, watch_input, NULL);
  sigemptyset(&signals);
  pthread_sigmask(SIG_SETMASK, &signals, NULL);
  puts("ready");
  fflush(stdout);
  int result = fuse_session_loop_mt(session, 0);
  // Threads that still wake somebody find the session closed, and libfuse would say so.
  if (!freopen("/dev/null", "w", stderr)) result = -1;
  fuse_session_unmount(session);
  return result < 0;
}
#else
int main(void) {
  fprintf(stderr, "FakeCamera was built without libfuse3: install libfuse3-dev (scripts/setup), build again\n");
  return 77;
}
#endif
