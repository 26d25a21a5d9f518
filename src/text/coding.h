/* What the files behind code.h share: the row of a language, the plain lexer, the parser. */
#ifndef TW_CODING_H
#define TW_CODING_H

#include <pthread.h>

#include "code.h"

/* What the plain lexer must know of a language, as a set of bits. */
typedef enum tw_lexis {
    TW_LEX_SLASHES = 1,      /* comments are // and / * * / */
    TW_LEX_HASH = 1 << 1,    /* # ... */
    TW_LEX_DASHES = 1 << 2,  /* -- ... */
    TW_LEX_SEMI = 1 << 3,    /* ; ... */
    TW_LEX_PERCENT = 1 << 4, /* % ... */
    TW_LEX_BANG = 1 << 5,    /* ! ... */
    TW_LEX_BRACES = 1 << 6,  /* {- ... -} */
    TW_LEX_PARENS = 1 << 7,  /* (* ... *) */
    TW_LEX_PRIMES = 1 << 8,  /* ' may end a name or mark a lifetime; as a quote it holds one
                                character */
    TW_LEX_TICKS = 1 << 9,   /* ` opens a string that may run over lines */
    TW_LEX_FOLD = 1 << 10,   /* keywords may be in any case */
    TW_LEX_GUESS = 1 << 11,  /* the comments are guessed from the text */
    TW_LEX_PROSE = 1 << 12,  /* tokens are words */
    /* For the parser: the language has so many dialects that its grammar misses much that is
     * correct. */
    TW_LEX_DIALECTS = 1 << 13,
} tw_lexis;

struct tw_language {
    const char *name;
    const char *grammar;  /* NULL: there is none */
    const char *endings;  /* of files, each between two spaces */
    const char *commands; /* that a #! line may name, each between two spaces */
    unsigned lexis;       /* of tw_lexis */
};

/* What the normal form of a token is. */
typedef enum tw_form {
    TW_FORM_NAME,
    TW_FORM_NUMBER,
    TW_FORM_STRING,
    TW_FORM_WRITTEN, /* the token as it is written */
    TW_FORM_FOLDED,  /* the token in lower case */
} tw_form;

/* ---- code.c */

/* Appends a token and its normal form. */
int tw_token_put(tw_code *code, const char *text, tw_token token, tw_form form) TW_CHECKED;
/* Appends a token whose normal form is a word of its own. */
int tw_token_put_word(tw_code *code, tw_token token, const char *word) TW_CHECKED;
/* Replaces `code` by the tokens of the text, in which each string is one token. */
int tw_read_tokens(tw_coder *coder, const tw_language *language, const char *text, size_t length,
                   tw_code *code) TW_CHECKED;

/* ---- lexer.c */

/* Appends the tokens of text[from..to). `line` is the number of the line that `from` is in. */
int tw_lex(unsigned lexis, const char *text, size_t from, size_t to, uint32_t line,
           tw_code *code) TW_CHECKED;

/* ---- limits of parses */

struct tw_parse_limits {
    uint64_t most_bytes;   /* of one parse */
    uint64_t shared_bytes; /* of each of the parses of several threads */
    pthread_mutex_t large; /* of the one parse that may take more than that */
};

/* ---- parse.c, which is compiled where tree-sitter is available */

typedef struct tw_parser tw_parser;

int tw_parser_new(tw_parser **parser) TW_CHECKED;
void tw_parser_free(tw_parser *parser);
void tw_parser_set_limits(tw_parser *parser, tw_parse_limits *limits);
/* Appends the tokens; *parsed is whether the text could be parsed. Where it could not because it
 * does not fit the grammar, code->unreliable is set. */
int tw_parse(tw_parser *parser, const tw_language *language, const char *text, size_t length,
             tw_code *code, bool *parsed) TW_CHECKED;

#endif
