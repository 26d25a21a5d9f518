/*
 * Any bytes as pages of pdftotext, the command that reads PDF files in a process of its own.
 * Promises: the text is no longer than the pages, and has no page breaks.
 */
#include "convert/layout.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_bytes pages = {0}, text = {0};
    REQUIRE(size == 0 || tw_bytes_append(&pages, data, size) == TWINSET_OK);
    REQUIRE(tw_undo_layout(&pages, &text) == TWINSET_OK);
    REQUIRE(text.length <= size);
    REQUIRE(text.length == 0 || !memchr(text.data, '\f', text.length));
    tw_bytes_free(&pages);
    tw_bytes_free(&text);
    return 0;
}
