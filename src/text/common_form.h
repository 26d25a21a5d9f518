/*
 * The vocabulary that programming languages share: what a node of a syntax tree is in it, and what
 * a token is called. `&&` of one language and `and` of another have one form; types, visibility and
 * other things that only some languages have, have none.
 */
#ifndef TW_COMMON_FORM_H
#define TW_COMMON_FORM_H

#include <stddef.h>
#include <stdint.h>

/* What a node says about the tokens below it. */
typedef enum tw_common_class {
    TW_COMMON_OTHER,
    TW_COMMON_OMITTED,     /* the node has no tokens: types, modifiers, annotations */
    TW_COMMON_CALL,        /* arguments: the bracket that opens them stands for the call */
    TW_COMMON_FUNCTION,    /* parameters: the bracket that opens them stands for the function */
    TW_COMMON_INDEX,       /* the bracket that opens it stands for an index */
    TW_COMMON_POINTER,     /* its own signs have no token */
    TW_COMMON_DECLARATION, /* a name in it without a value has no token */
} tw_common_class;

/* The class of a node, by its name in a grammar. */
tw_common_class tw_common_classify(const char *name);
/* The form of a token that is no name, number or string, by its text and the class of the node that
 * it stands in. NULL: it has none. */
const char *tw_common_form(const char *text, size_t length, tw_common_class parent);

#endif
