#include "clean_document.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

enum {
    BLOCK = 1 << 16,
    BEFORE = 4, /* bytes before a cut that may be the character there */
};

/* What is cut: a file, or a text in memory. */
typedef struct material {
    int fd; /* -1: a text in memory */
    const char *text;
    size_t length;
    uint64_t mark; /* bytes before the text in the file */
    char *block;   /* BEFORE + BLOCK bytes */
} material;

/* Reads some bytes of the text; *got may be fewer than `count` at its end. */
static int read_some(const material *from, uint64_t offset, size_t count, char *to, size_t *got)
{
    if (from->fd >= 0)
        return tw_read_at(from->fd, offset + from->mark, to, count, got) ? TWINSET_OK : TWINSET_IO;
    size_t left = offset < from->length ? from->length - (size_t)offset : 0;
    *got = count < left ? count : left;
    memcpy(to, from->text + (left ? offset : 0), *got);
    return TWINSET_OK;
}

/* Passes the bytes from an offset up to another, or to the end of the text where that is
 * UINT64_MAX. */
static int copy_bytes(const material *from, uint64_t offset, uint64_t end, tw_bytes_fn take,
                      void *context)
{
    while (offset < end) {
        size_t want = end - offset < BLOCK ? (size_t)(end - offset) : BLOCK, got;
        int status = read_some(from, offset, want, from->block, &got);
        if (status == TWINSET_OK && got == 0)
            return end == UINT64_MAX ? TWINSET_OK : TWINSET_IO;
        if (status == TWINSET_OK)
            status = take(context, from->block, got);
        if (status != TWINSET_OK)
            return status;
        offset += got;
    }
    return TWINSET_OK;
}

/* Finds the end of a cut by what stands before and behind it. */
static int find_cut_end(const material *from, uint64_t start, uint64_t end, uint64_t *stop,
                        bool *needs_space)
{
    size_t before = start < BEFORE ? (size_t)start : BEFORE, behind;
    int status = read_some(from, start - before, before, from->block, &behind);
    if (status == TWINSET_OK)
        status = read_some(from, end, BLOCK, from->block + before, &behind);
    if (status == TWINSET_OK)
        *stop =
            end - before + tw_cut_end(from->block, before + behind, before, before, needs_space);
    return status;
}

static int cut_material(const material *from, const tw_repeated_span *spans, size_t count,
                        tw_bytes_fn take, void *context)
{
    uint64_t offset = 0;
    int status = TWINSET_OK;
    for (size_t i = 0; i < count && status == TWINSET_OK;) {
        uint64_t start = spans[i].start, stop = start;
        bool needs_space = false;
        status = copy_bytes(from, offset, start, take, context);
        do
            if (status == TWINSET_OK)
                status = find_cut_end(from, start, spans[i].end, &stop, &needs_space);
        while (++i < count && tw_span_meets_next(&spans[i - 1]));
        if (status == TWINSET_OK && needs_space)
            status = take(context, " ", 1);
        offset = stop;
    }
    return status == TWINSET_OK ? copy_bytes(from, offset, UINT64_MAX, take, context) : status;
}

/* Passes the byte order mark of a file, if it has one. */
static int copy_mark(material *from, tw_bytes_fn take, void *context)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t got, length = strlen(mark);
    int status = read_some(from, 0, length, from->block, &got);
    if (status != TWINSET_OK || got < length || memcmp(from->block, mark, length) != 0)
        return status;
    from->mark = length;
    return take(context, mark, length);
}

int tw_clean_document(const tw_source *source, const tw_repeated_span *spans, size_t count,
                      tw_bytes_fn take, void *context)
{
    if (!source->path && !source->text)
        return TWINSET_OK; /* a null text: it is kept, and there is nothing to copy */
    material from = {.fd = -1,
                     .text = source->text,
                     .length = source->size_bytes,
                     .block = tw_malloc(BEFORE + BLOCK)};
    int status = from.block ? TWINSET_OK : TWINSET_NOMEM;
    if (status == TWINSET_OK && !source->text) {
        from.fd = open(source->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        status = from.fd < 0 ? TWINSET_IO : count ? copy_mark(&from, take, context) : TWINSET_OK;
    }
    if (status == TWINSET_OK)
        status = cut_material(&from, spans, count, take, context);
    if (from.fd >= 0)
        close(from.fd);
    tw_free(from.block);
    return status;
}
