#include "CIptc.h"

#include <libiptcdata/iptc-data.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char *ciptc_name(int record, int number) {
  return iptc_tag_get_name((IptcRecord) record, (IptcTag) number);
}

unsigned char *ciptc_filter(
    const unsigned char *bytes, size_t count, void *context,
    bool (*keep)(void *context, int record, int number), size_t *kept, size_t *result_count) {
  *kept = 0;
  *result_count = 0;
  if (count > INT_MAX) return NULL;
  IptcData *data = iptc_data_new();
  if (data == NULL) return NULL;
  unsigned char *copy = NULL;
  if (iptc_data_load(data, bytes, (unsigned int) count) == 0) {
    for (unsigned int index = data->count; index > 0; index--) {
      IptcDataSet *set = data->datasets[index - 1];
      if (!keep(context, (int) set->record, (int) set->tag)) iptc_data_remove_dataset(data, set);
    }
    *kept = data->count;
    unsigned char *saved = NULL;
    unsigned int length = 0;
    if (iptc_data_save(data, &saved, &length) == 0 && saved != NULL) {
      copy = malloc(length + 1);
      if (copy != NULL) {
        memcpy(copy, saved, length);
        *result_count = length;
      }
      iptc_data_free_buf(data, saved);
    }
  }
  iptc_data_unref(data);
  return copy;
}
