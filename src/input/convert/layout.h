#ifndef TW_LAYOUT_H
#define TW_LAYOUT_H

#include "common.h"

/* Appends to `text` what pages hold, without what their layout added: headers, footers and
 * hyphens at the ends of lines. The pages, each with a form feed after it, are used up. */
int tw_undo_layout(tw_bytes *pages, tw_bytes *text) TW_CHECKED;

#endif
