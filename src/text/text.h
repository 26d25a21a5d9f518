/*
 * Text: from the bytes of a document to its shingles. This header lists what other folders see.
 *
 *   omit.c          finds what is left out: quotations and lists of sources
 *   confusables.c   replaces letters that only look Latin
 *   normalise.c     makes clean UTF-8 of any bytes: case, compatibility forms, punctuation, spaces
 *   tokens.c        finds the tokens, which are characters or words, and drops stop words
 *   shingle.c       makes a shingle of every k tokens in a row
 *   window.c        hashes shingles to 64-bit ids
 *   text_digest.c   hashes a whole text to 128 bits
 *   kernels.c       chooses the vector kernels in x86/ and arm/
 *   code.c          splits programs into tokens; code.h says more
 *   program.c       makes shingles of the tokens of programs
 *   words.c         splits prose into words, for passages
 *   stem.c          the stems of words
 *   word_spans.c    finds where the words of a text are
 *   cut.c           finds what goes with words that are cut out
 *   set.c           makes sets of ids
 *
 * A text streams through in chunks, so that memory does not grow with it. A tw_shingler is the
 * scratch of one thread.
 */
#ifndef TW_TEXT_H
#define TW_TEXT_H

#include "code.h"
#include "cut.h"
#include "omit.h"
#include "program.h"
#include "set.h"
#include "shingle.h"
#include "shingle_id.h"
#include "stem.h"
#include "stop.h"
#include "text_digest.h"
#include "window.h"
#include "word_spans.h"
#include "words.h"

#endif
