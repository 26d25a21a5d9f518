#include "span_list.h"

void tw_span_list_free(tw_span_list *list)
{
    tw_spill_free(list->spill);
    tw_free(list->data);
    *list = (tw_span_list){0};
}

int tw_span_list_add(tw_span_list *list, uint32_t document, const tw_repeated_span *spans,
                     size_t count, const char *tmp, twinset_error *error)
{
    int status = TW_GROW(list->data, list->capacity, list->count + 1);
    if (status != TWINSET_OK)
        return tw_nomem(error);
    if (!list->spill)
        status = tw_spill_new(tmp, &list->spill, error);
    tw_document_spans *added = &list->data[list->count];
    *added = (tw_document_spans){.document = document, .count = (uint32_t)count};
    if (status == TWINSET_OK)
        status = tw_spill_append(list->spill, spans, count * sizeof *spans, &added->offset, error);
    list->count += status == TWINSET_OK;
    return status;
}

int tw_span_list_read(const tw_span_list *list, size_t index, tw_bytes *buffer,
                      const tw_repeated_span **spans, twinset_error *error)
{
    const tw_document_spans *from = &list->data[index];
    size_t bytes = from->count * sizeof **spans;
    buffer->length = 0;
    if (tw_bytes_reserve(buffer, bytes) != TWINSET_OK)
        return tw_nomem(error);
    *spans = (const tw_repeated_span *)(const void *)buffer->data;
    return tw_spill_read(list->spill, from->offset, buffer->data, bytes, error);
}
