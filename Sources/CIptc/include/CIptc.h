#ifndef CIPTC_H
#define CIPTC_H

// A thin face over libiptcdata for whole lists of IPTC-IIM data sets.

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

// The name of a data set, which lives as long as the program; NULL where it has none.
const char *_Nullable ciptc_name(int record, int number);

// Writes a list with those data sets that `keep` keeps, in their order. `kept` is how many these are.
// The caller frees the result with `free`. NULL where the list cannot be read.
unsigned char *_Nullable ciptc_filter(
    const unsigned char *bytes, size_t count, void *_Nullable context,
    bool (*keep)(void *_Nullable context, int record, int number), size_t *kept,
    size_t *result_count);

#pragma clang assume_nonnull end
#endif
