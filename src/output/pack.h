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

/* Blocks that several threads pack at a time, each as a member of its own; members follow each
 * other in the file. They are for gzip and bzip2: zstd has threads of its own, xz needs larger
 * blocks. */

/* Packs a block into `member`, if the packer is one for members and the block is not empty; it is
 * emptied otherwise. Any number of threads may do so. */
int tw_pack_member(const tw_pack *pack, const tw_bytes *block, tw_bytes *member) TW_CHECKED;
/* Writes a block, by its member if it has one. Blocks come before what tw_pack_write() writes. */
int tw_pack_write_block(tw_pack *pack, const tw_bytes *block, const tw_bytes *member,
                        twinset_error *error) TW_CHECKED;

#endif
