/* The public functions that read the passages of a pair. */
#include "passages.h"

static const tw_located_passage *find_passage(const twinset_passages *passages, size_t index)
{
    return passages && index < passages->count ? &passages->list[index] : NULL;
}

static const tw_located_document *find_side(const twinset_passages *passages, int side)
{
    return passages && (side == 0 || side == 1) ? &passages->sides[side] : NULL;
}

size_t twinset_passages_count(const twinset_passages *passages)
{
    return passages ? passages->count : 0;
}

int twinset_passages_at(const twinset_passages *passages, size_t index, twinset_passage *passage,
                        size_t size)
{
    const tw_located_passage *located = find_passage(passages, index);
    if (!located)
        return TWINSET_USAGE;
    const twinset_passage found = {located->tokens, located->kinds, located->documents,
                                   located->rarity};
    return tw_copy_struct(passage, size, &found, sizeof found);
}

int twinset_passages_span(const twinset_passages *passages, size_t index, int side,
                          twinset_span *span, size_t size)
{
    const tw_located_passage *located = find_passage(passages, index);
    if (!located || !find_side(passages, side))
        return TWINSET_USAGE;
    return tw_copy_struct(span, size, side == 0 ? &located->a : &located->b, sizeof located->a);
}

/* ---- renames, spans and texts */

size_t twinset_passages_renames(const twinset_passages *passages, size_t index)
{
    const tw_located_passage *located = find_passage(passages, index);
    return located ? located->rename_count : 0;
}

int twinset_passages_rename(const twinset_passages *passages, size_t index, size_t rename_index,
                            twinset_rename *rename, size_t size)
{
    if (rename_index >= twinset_passages_renames(passages, index))
        return TWINSET_USAGE;
    return tw_copy_struct(rename, size, &passages->list[index].renames[rename_index],
                          sizeof *rename);
}

size_t twinset_passages_aligned_spans(const twinset_passages *passages, size_t index)
{
    const tw_located_passage *located = find_passage(passages, index);
    return located ? located->span_count : 0;
}

int twinset_passages_aligned_span(const twinset_passages *passages, size_t index, size_t span_index,
                                  twinset_aligned_span *span, size_t size)
{
    if (span_index >= twinset_passages_aligned_spans(passages, index))
        return TWINSET_USAGE;
    return tw_copy_struct(span, size, &passages->list[index].spans[span_index], sizeof *span);
}

size_t twinset_passages_excluded_spans(const twinset_passages *passages, int side)
{
    const tw_located_document *located = find_side(passages, side);
    return located ? located->excluded_count : 0;
}

int twinset_passages_excluded_span(const twinset_passages *passages, int side, size_t index,
                                   twinset_span *span, size_t size)
{
    if (index >= twinset_passages_excluded_spans(passages, side))
        return TWINSET_USAGE;
    return tw_copy_struct(span, size, &passages->sides[side].excluded[index], sizeof *span);
}

size_t twinset_passages_texts(const twinset_passages *passages, int side)
{
    const tw_located_document *located = find_side(passages, side);
    return located ? located->file_count : 0;
}

const char *twinset_passages_text(const twinset_passages *passages, int side, size_t file_index,
                                  size_t *length)
{
    if (file_index >= twinset_passages_texts(passages, side))
        return NULL;
    const tw_located_file *file = &passages->sides[side].files[file_index];
    if (length)
        *length = file->length;
    return file->text;
}
