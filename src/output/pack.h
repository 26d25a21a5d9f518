/* Packs bytes on their way to the caller, as the ending of a name says. */
#ifndef TW_PACK_H
#define TW_PACK_H

#include "common.h"

typedef struct tw_pack tw_pack;

/* Packs by the ending of the name, in any case: .gz, .zst, .xz or .bz2; with any other ending bytes
 * stay as they are. `write` gets the packed bytes, until it fails once. Free it with
 * tw_pack_free(). */
int tw_pack_new(const char *name, unsigned threads, twinset_write_fn write, void *context,
                tw_pack **pack, twinset_error *error) TW_CHECKED;
int tw_pack_write(tw_pack *pack, const void *bytes, size_t count, twinset_error *error) TW_CHECKED;
/* Writes what the packer still holds; without this call the output is incomplete. No write may
 * follow it. */
int tw_pack_end(tw_pack *pack, twinset_error *error) TW_CHECKED;
void tw_pack_free(tw_pack *pack);

#endif
