#ifndef CEXEMPI_H
#define CEXEMPI_H

// A thin face over exempi for whole XMP packets.
//
// The library keeps one table of namespaces in a process, to which every packet adds. So that a
// packet is written the same whatever came before, the library is started for each packet and ended
// with it: one packet at a time, and the caller sees to that.

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

typedef struct cexempi_packet cexempi_packet;

// Starts the library and reads a packet. NULL where it cannot be read. The caller ends with
// `cexempi_close`.
cexempi_packet *_Nullable cexempi_open(const char *bytes, size_t count);

void cexempi_close(cexempi_packet *packet);

// Calls `visit` for every property, at any depth: its namespace, its path from the top, and its
// value. Nothing may be changed meanwhile.
void cexempi_visit(
    cexempi_packet *packet, void *_Nullable context,
    void (*visit)(void *_Nullable context, const char *schema, const char *path));

// True where the packet has a property of this name at the top. The value, where it is one, goes to
// `value` up to `size` bytes, and is ended by zero.
bool cexempi_get(
    cexempi_packet *packet, const char *schema, const char *path, char *value, size_t size);

void cexempi_remove(cexempi_packet *packet, const char *schema, const char *path);

void cexempi_set(
    cexempi_packet *packet, const char *schema, const char *path, const char *value);

// The packet as UTF-8 without the processing instructions around it. The caller frees it with
// `free`. NULL where it cannot be written.
char *_Nullable cexempi_write(cexempi_packet *packet, size_t *count);

#pragma clang assume_nonnull end
#endif
