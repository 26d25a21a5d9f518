/*
 * Parses HTML with gumbo, at some 20 MB/s. Gumbo takes a failed allocation badly and frees a tree
 * by recursion. So its memory comes from an arena that never fails: where there is no more, a
 * longjmp() leaves the parser, and everything is freed at once. A tidied page needs less than 64
 * bytes of memory for each of its own; what asks for more multiplies elements, and is refused.
 */
#include <setjmp.h>

#include "convert/html.h"

enum {
    CHUNK_BYTES = 256 << 10,
    MEMORY_PER_BYTE = 64,
    LEAST_LIMIT_BYTES = 4 << 20,
    ALIGNMENT = 16,
};

typedef struct chunk {
    struct chunk *next;
    _Alignas(ALIGNMENT) char bytes[];
} chunk;

struct tw_html_tree {
    const GumboOutput *output;
    chunk *chunks;
    size_t used_bytes, chunk_bytes;  /* of the first chunk */
    size_t total_bytes, limit_bytes; /* of all chunks */
    int status;                      /* why the parser was left */
    jmp_buf way_out;
};

static void leave_parser(tw_html_tree *tree, int status)
{
    tree->status = status;
    longjmp(tree->way_out, 1);
}

static void *allocate(void *context, size_t size)
{
    tw_html_tree *tree = context;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (size > tree->chunk_bytes - tree->used_bytes) {
        size_t bytes = size > CHUNK_BYTES ? size : CHUNK_BYTES;
        if (bytes > tree->limit_bytes - tree->total_bytes)
            leave_parser(tree, TWINSET_IO);
        chunk *added = tw_malloc(sizeof *added + bytes);
        if (!added)
            leave_parser(tree, TWINSET_NOMEM);
        added->next = tree->chunks;
        tree->chunks = added;
        tree->used_bytes = 0;
        tree->chunk_bytes = bytes;
        tree->total_bytes += bytes;
    }
    void *memory = tree->chunks->bytes + tree->used_bytes;
    tree->used_bytes += size;
    return memory;
}

/* Memory is freed with the tree. */
static void keep_allocated(void *context, void *memory)
{
    (void)context, (void)memory;
}

static int parse(tw_html_tree *tree, const tw_bytes *tidy)
{
    GumboOptions options = kGumboDefaultOptions;
    options.allocator = allocate;
    options.deallocator = keep_allocated;
    options.userdata = tree;
    options.max_errors = 0;
    if (setjmp(tree->way_out))
        return tree->status;
    tree->output = gumbo_parse_with_options(&options, tidy->data, tidy->length);
    return TWINSET_OK;
}

int tw_html_parse(const tw_bytes *tidy, tw_html_tree **result)
{
    tw_html_tree *tree = tw_calloc(1, sizeof *tree);
    *result = NULL;
    if (!tree)
        return TWINSET_NOMEM;
    tree->limit_bytes = LEAST_LIMIT_BYTES + tidy->length * MEMORY_PER_BYTE;
    int status = parse(tree, tidy);
    if (status == TWINSET_OK)
        *result = tree;
    else
        tw_html_tree_free(tree);
    return status;
}

const GumboNode *tw_html_root(const tw_html_tree *tree)
{
    return tree->output->root;
}

void tw_html_tree_free(tw_html_tree *tree)
{
    if (!tree)
        return;
    for (chunk *next, *at = tree->chunks; at; at = next) {
        next = at->next;
        tw_free(at);
    }
    tw_free(tree);
}
