// How a process gives up rights for the rest of its life: Landlock and seccomp of the Linux kernel.
// Thin: each function sets errno as the system calls do, and allocates nothing for the caller.
// Constants that Debian 12's headers lack are defined here, as the kernel's own headers have them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// What may be done with a file, or with all that is below a folder.
enum csandbox_right {
  CSANDBOX_READ = 0,
  /// Read, write, make, rename and remove files and folders.
  CSANDBOX_CHANGE = 1,
  /// Read and write what is there.
  CSANDBOX_DEVICE = 2,
};

/// The version of the kernel's Landlock; 0 where there is none.
int csandbox_landlock_version(void);

/// Whether the kernel takes filters of system calls.
bool csandbox_has_filters(void);

/// Rules under which nothing is allowed yet: a descriptor, or -1.
int csandbox_open_rules(int version);

/// Allows something of the file or folder that is open. Returns 0, or -1.
int csandbox_allow(int rules, int version, int file, enum csandbox_right right);

/// Rules files, TCP and signals to others for this thread and all that it will start. Returns 0, or -1.
int csandbox_enter_rules(int rules);

/// Refuses system calls for this thread and all that it will start: network, new processes, signals
/// to others, other processes' memory, and whatever changes files by their names in ways that Landlock
/// does not know. `attributes`: the mode and times of open files may be changed. Returns 0, or -1.
int csandbox_enter_filter(bool attributes);

/// Gives up what root may do beside reading and writing files, such as raising limits or tracing
/// processes. Returns 0, also for who may do nothing of it, or -1.
int csandbox_drop_capabilities(void);

#pragma clang assume_nonnull end
