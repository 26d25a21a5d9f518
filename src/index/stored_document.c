/* A document as the bytes of a row: checksum, figures, id, metadata, name of the group; then its
 * packed text, or its signature. */
#include "store.h"
#include "varint.h"

enum { NUMBERS = 8, STRINGS = 3 };

int tw_stored_document_write(const tw_stored_document *record, tw_bytes *out)
{
    const char *const strings[STRINGS] = {record->id, record->metadata, record->group_name};
    const uint64_t numbers[NUMBERS] = {record->flags,
                                       record->is_number,
                                       record->tokens,
                                       record->shingles,
                                       record->text_length,
                                       strlen(record->id),
                                       strlen(record->metadata),
                                       strlen(record->group_name)};
    out->length = 0;
    int status = tw_put_u64(out, 0);
    if (status == TWINSET_OK)
        status = tw_put_u64(out, record->digest[0]);
    if (status == TWINSET_OK)
        status = tw_put_u64(out, record->digest[1]);
    if (status == TWINSET_OK)
        status = tw_put_u64(out, record->group);
    for (size_t i = 0; i < NUMBERS && status == TWINSET_OK; i++)
        status = tw_varint_append(out, numbers[i]);
    for (size_t i = 0; i < STRINGS && status == TWINSET_OK; i++)
        status = tw_bytes_append(out, strings[i], strlen(strings[i]) + 1);
    if (status == TWINSET_OK)
        status = tw_bytes_append(out, record->payload, record->payload_length);
    if (status == TWINSET_OK) {
        uint64_t sum = tw_checksum(out->data + 8, out->length - 8, record->number);
        memcpy(out->data, &sum, sizeof sum);
    }
    return status;
}

/* Takes a terminated string of this length off the bytes; NULL: there is none. */
static const char *take_string(const unsigned char **at, const unsigned char *end, uint64_t length)
{
    if (!*at || length >= (uint64_t)(end - *at) || (*at)[length] != '\0')
        return NULL;
    const char *string = (const char *)*at;
    *at += length + 1;
    return string;
}

bool tw_stored_document_read(uint64_t number, const void *data, size_t length,
                             tw_stored_document *record)
{
    const char *bytes = data;
    uint64_t numbers[NUMBERS];
    *record = (tw_stored_document){.number = number};
    if (length < 32 || tw_load64(bytes) != tw_checksum(bytes + 8, length - 8, number))
        return false;
    tw_field_reader fields = {bytes + 8, bytes + length, false};
    record->digest[0] = tw_get_u64(&fields);
    record->digest[1] = tw_get_u64(&fields);
    record->group = tw_get_u64(&fields);
    const unsigned char *at = (const unsigned char *)fields.at,
                        *end = (const unsigned char *)fields.end;
    for (size_t i = 0; i < NUMBERS; i++) {
        at = at ? tw_varint_read(at, end, &numbers[i]) : NULL;
        if (!at)
            return false;
    }
    record->flags = (unsigned)numbers[0];
    record->is_number = numbers[1] != 0;
    record->tokens = numbers[2];
    record->shingles = numbers[3];
    record->text_length = numbers[4];
    record->id = take_string(&at, end, numbers[5]);
    record->metadata = record->id ? take_string(&at, end, numbers[6]) : NULL;
    record->group_name = record->metadata ? take_string(&at, end, numbers[7]) : NULL;
    record->payload = at;
    record->payload_length = (size_t)(end - at);
    return record->group_name != NULL;
}
