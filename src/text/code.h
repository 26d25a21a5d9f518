/*
 * Programs as tokens: names, literals, comments and layout no longer tell two apart.
 *
 *   language.c   which language a file is in, by its name and its first lines
 *   code.c       its tokens, parsed or lexed, and their forms
 *   parse.c      tokens of a parsed program, by tree-sitter and its grammars
 *   grammar.c    the grammars, each a shared library that is loaded when it is needed
 *   pool.c       the memory of a parse, and the limits of its work
 *   lexer.c      tokens of any other, by rules that most languages share
 *
 * A token's normal form is what shingles are made of: a keyword, operator or bracket as it is
 * written, `I` for a name, `N` for a number, `S` for a string, ... It has no white space in it.
 */
#ifndef TW_CODE_H
#define TW_CODE_H

#include "common.h"

/* A row of a table; compare by address. */
typedef struct tw_language tw_language;

/* By the name that --lang takes ("python", "plain", "text"), or NULL. */
const tw_language *tw_language_named(const char *name);
/* By its file's name, or else by its first lines (#!, <?php, ...). Never NULL: what is not known
 * to be a program is "text" if its name or bytes say prose, else "plain". */
const tw_language *tw_language_of(const char *path, const char *text, size_t length);
const char *tw_language_name(const tw_language *language);
/* Whether the name alone says that it is a program. */
bool tw_names_program(const char *path);
/* All names, NULL past the last. */
const tw_language *tw_language_at(size_t index);

typedef enum tw_token_kind {
    TW_TOKEN_NAME,    /* of a variable, function, class, ... */
    TW_TOKEN_LITERAL, /* number, string, character */
    TW_TOKEN_OTHER,   /* keyword, operator, bracket */
    TW_TOKEN_OMITTED, /* a word that is left out; the lexers make none */
} tw_token_kind;

typedef struct tw_token {
    uint32_t start, end; /* bytes in the text; `end` is past its last */
    uint32_t line;       /* of its first byte, from 1 */
    uint8_t kind;
} tw_token;

/* Zero to begin with; a lexing replaces what is there. Free with tw_code_free(). */
typedef struct tw_code {
    tw_token *tokens;
    size_t count, capacity;
    tw_bytes normal; /* the tokens' normal forms, each followed by a space */
    bool lexed;      /* not parsed: the grammar could not be loaded, or gave up */
    bool unreliable; /* so much of it does not parse that tokens may be wrong */
} tw_code;

/* The parsers of one thread. */
typedef struct tw_coder tw_coder;

int tw_coder_new(tw_coder **coder) TW_CHECKED;
void tw_coder_free(tw_coder *coder);
/* The text is UTF-8, of less than 2 GB. Any bytes give tokens. */
int tw_code_tokens(tw_coder *coder, const tw_language *language, const char *text, size_t length,
                   tw_code *code) TW_CHECKED;
void tw_code_free(tw_code *code);

#endif
