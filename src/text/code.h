/*
 * Programs as tokens, in a form in which names, literals, comments and layout make no difference.
 *
 *   language.c   finds the language of a file, by its name and its first lines
 *   code.c       gets the tokens of a program, parsed or lexed, in their normal form
 *   parse.c      parses with tree-sitter and its grammars
 *   grammar.c    loads the grammars, each a shared library, when they are needed
 *   pool.c       holds the memory of a parse, and limits its work
 *   lexer.c      lexes everything else by rules that most languages share
 *   common_form.c  has the forms that languages have in common
 *   embedded.c   replaces strings that hold a program by its tokens
 *
 * Shingles are made of the normal forms of tokens: a keyword, operator or bracket as it is written,
 * `I` for a name, `N` for a number, `S` for a string. A normal form has no white space in it.
 * Tokens ascend in the text and do not overlap, but one of a program in strings may begin in one
 * string and end in the next.
 */
#ifndef TW_CODE_H
#define TW_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common.h"

/* A row of the table of languages; two languages are equal if their addresses are. */
typedef struct tw_language tw_language;

/* The language with the name that --lang takes ("python", "plain", "text"), or NULL. */
const tw_language *tw_language_by_name(const char *name);
/* The language of a file, by its name or otherwise by how its lines begin (#!, #include, import
 * java, ...). Never NULL: what is not known to be a program is "text" if its name or bytes look
 * like prose, and otherwise "plain". */
const tw_language *tw_language_detect(const char *path, const char *text, size_t length);
const char *tw_language_name(const tw_language *language);
/* Whether a path alone shows that the file is a program. */
bool tw_is_program_path(const char *path);
/* Whether a text alone shows that it is a program, and in which language. */
bool tw_is_program_text(const char *text, size_t length);
/* Whether a path alone shows that the file is a program or prose. */
bool tw_is_known_path(const char *path);
/* The language with this index; NULL past the last. */
const tw_language *tw_language_at(size_t index);
/* The index of a language. A document of several languages has TW_SEVERAL_LANGUAGES instead. */
uint8_t tw_language_index(const tw_language *language);
enum { TW_SEVERAL_LANGUAGES = 31 };
/* The name of the language with an index, or "several". */
const char *tw_language_name_at(uint8_t index);
/* Whether documents in two languages, by index, are compared by what languages have in common. Not
 * so prose, nor C and C++, or JavaScript and TypeScript, which have their tokens in common. */
bool tw_languages_differ(uint8_t a, uint8_t b);

typedef enum tw_token_kind {
    TW_TOKEN_NAME,    /* of a variable, function, class, ... */
    TW_TOKEN_LITERAL, /* number, string, character */
    TW_TOKEN_OTHER,   /* keyword, operator, bracket */
    TW_TOKEN_OMITTED, /* a word that is left out; the lexers make none */
} tw_token_kind;

typedef struct tw_token {
    uint32_t start, end; /* bytes of the text; `end` is past the last */
    uint32_t line;       /* of its first byte, from 1 */
    uint8_t kind;
} tw_token;

/* The tokens of a program. Zero to begin with; free with tw_code_free(). */
typedef struct tw_code {
    tw_token *tokens;
    size_t count, capacity;
    tw_bytes normal; /* the tokens' normal forms, each followed by a space */
    bool lexed;      /* not parsed: the grammar could not be loaded, or the parser gave up */
    bool unreliable; /* so much of the text does not parse that tokens may be wrong */
    bool is_across;  /* the forms are those that languages have in common */
} tw_code;

/* The parsers of one thread. */
typedef struct tw_coder tw_coder;

int tw_coder_new(tw_coder **coder) TW_CHECKED;
void tw_coder_free(tw_coder *coder);

/* How much memory the parses of one run may take, by all of its coders. A text whose parse would
 * take more is lexed, whatever other threads do. */
typedef struct tw_parse_limits tw_parse_limits;

/* `memory_bytes` is for the largest parse, and again for those of all threads. NULL where memory is
 * short. */
tw_parse_limits *tw_parse_limits_new(uint64_t memory_bytes, unsigned threads) TW_CHECKED;
void tw_parse_limits_free(tw_parse_limits *limits);
/* Makes a coder keep to limits, which must outlive it. */
void tw_coder_set_limits(tw_coder *coder, tw_parse_limits *limits);

/* Makes a coder give the tokens that programming languages have in common (common_form.h), and no
 * others. A program that is not parsed keeps those of its language. */
void tw_coder_set_across(tw_coder *coder, bool is_across);

/* Estimates the number of tokens of a program, as if its comments had tokens, too. A program hardly
 * has more than that. */
uint64_t tw_estimate_tokens(const char *text, size_t length);
/* Replaces `code` by the tokens of the text, which is UTF-8 of less than 2 GB. Any bytes give
 * tokens. */
int tw_code_tokens(tw_coder *coder, const tw_language *language, const char *text, size_t length,
                   tw_code *code) TW_CHECKED;
void tw_code_free(tw_code *code);

#endif
