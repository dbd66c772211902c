// What a decoder that was taken over could try: system calls that have no name in Swift. Each returns
// true where nothing has kept it from its aim.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

bool cintruder_forks(void);
bool cintruder_vforks(void);
bool cintruder_clones(void);
bool cintruder_clones3(void);
bool cintruder_executes_memory(void);
bool cintruder_connects_tcp(void);
bool cintruder_connects_udp(void);
bool cintruder_connects_abstract(const char *name);
bool cintruder_connects_path(const char *path);
bool cintruder_makes_socket_pair(void);
bool cintruder_signals(pid_t process);
bool cintruder_signals_thread(pid_t process);
bool cintruder_queues_signal(pid_t process);
bool cintruder_opens_process(pid_t process);
bool cintruder_traces(pid_t process);
bool cintruder_is_traced(void);
bool cintruder_reads_memory(pid_t process, const void *address);
bool cintruder_sets_up_ring(void);
bool cintruder_handles_faults(void);
bool cintruder_loads_program(void);
bool cintruder_mounts(const char *folder);
bool cintruder_unshares(void);
bool cintruder_adds_key(void);
bool cintruder_counts_events(void);
bool cintruder_raises_limit(void);
bool cintruder_limits_other(pid_t process);
bool cintruder_outlives(void);
bool cintruder_changes_flags(const char *path);
bool cintruder_sets_attribute(const char *path);
bool cintruder_opens_by_handle(const char *path);
bool cintruder_makes_device(const char *path);
bool cintruder_changes_root(const char *folder);
bool cintruder_listens_to_names(const char *folder);
bool cintruder_reads_kernel_log(void);
bool cintruder_shares_memory(void);
bool cintruder_uses_32_bits(void);

#pragma clang assume_nonnull end
