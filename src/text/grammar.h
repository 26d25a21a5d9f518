/* The grammars of tree-sitter, and what the parser does with each kind of node. */
#ifndef TW_GRAMMAR_H
#define TW_GRAMMAR_H

#include <tree_sitter/api.h>

#include "coding.h"

typedef enum tw_node_class {
    TW_NODE_OTHER,     /* a leaf is a number, or otherwise as it is written */
    TW_NODE_FIXED,     /* a leaf that always has the same text */
    TW_NODE_NAME,      /* a leaf is a name */
    TW_NODE_NUMBER,    /* the node is one token */
    TW_NODE_STRING,    /* the node is one token, except for what is interpolated */
    TW_NODE_CONTENT,   /* the content of a string */
    TW_NODE_LINES,     /* text that the grammar does not parse */
    TW_NODE_COMMENT,   /* the node has no tokens */
    TW_NODE_IMPORT,    /* an inner node has no tokens: what is used says little of who wrote it */
    TW_NODE_STATEMENT, /* a comment if it is nothing but a string */
    TW_NODE_BRACKETS,  /* an expression in brackets */
    TW_NODE_HOLDER,    /* brackets around the whole expression in it mean nothing */
} tw_node_class;

typedef struct tw_grammar {
    const TSLanguage *parser; /* NULL: it cannot be loaded */
    uint8_t *common_class_of; /* tw_common_class, by symbol; after those of class_of */
    uint8_t class_of[];       /* tw_node_class, by symbol */
} tw_grammar;

/* Loads the grammar of a language, once for the process. May be called from any thread. */
int tw_grammar_for(const tw_language *language, const tw_grammar **grammar) TW_CHECKED;

#endif
