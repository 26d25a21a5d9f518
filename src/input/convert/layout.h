#ifndef TW_LAYOUT_H
#define TW_LAYOUT_H

#include "common.h"

/* Appends the text of pages without what their layout added: headers, footers and hyphens at the
 * ends of lines. Each page has a form feed after it. The pages are changed on the way. */
int tw_undo_layout(tw_bytes *pages, tw_bytes *text) TW_CHECKED;

#endif
