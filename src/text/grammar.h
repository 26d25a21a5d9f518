/*
 * The grammars of tree-sitter, and what is to be done with each kind of node.
 */
#ifndef TW_GRAMMAR_H
#define TW_GRAMMAR_H

#include <tree_sitter/api.h>

#include "coding.h"

typedef enum tw_node_class {
    TW_NODE_OTHER,     /* a leaf is a number, or else as it is written */
    TW_NODE_FIXED,     /* a leaf that has always this text */
    TW_NODE_NAME,      /* a leaf is a name */
    TW_NODE_NUMBER,    /* all of it is one token */
    TW_NODE_STRING,    /* all of it is one token, but for what is interpolated */
    TW_NODE_CONTENT,   /* part of a string */
    TW_NODE_LINES,     /* text that the grammar does not look into */
    TW_NODE_COMMENT,   /* nothing of it is a token */
    TW_NODE_IMPORT,    /* the same, of an inner node: what is used says little of who wrote it */
    TW_NODE_STATEMENT, /* a comment if it is nothing but a string */
    TW_NODE_BRACKETS,  /* an expression in brackets */
    TW_NODE_HOLDER,    /* round an expression that stands in it whole, brackets mean nothing */
} tw_node_class;

typedef struct tw_grammar {
    const TSLanguage *parser; /* NULL: it cannot be loaded */
    uint8_t class_of[];       /* by symbol */
} tw_grammar;

/* It stays loaded. From any thread. */
int tw_grammar_for(const tw_language *language, const tw_grammar **grammar) TW_CHECKED;

#endif
