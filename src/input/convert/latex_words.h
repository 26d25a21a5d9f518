/* What the environments and commands of LaTeX are to its text. */
#ifndef TW_LATEX_WORDS_H
#define TW_LATEX_WORDS_H

#include "convert/prose.h"

typedef struct tw_latex_environment {
    const char *name;
    enum { TW_LATEX_PLAIN, TW_LATEX_RAW, TW_LATEX_LEFT_OUT, TW_LATEX_FORMULA } kind;
    unsigned arguments; /* that are no text */
} tw_latex_environment;

typedef enum tw_latex_meaning {
    TW_LATEX_SKIP,   /* so many arguments are no text */
    TW_LATEX_TEXT,   /* stands for this */
    TW_LATEX_GAP,    /* such a gap */
    TW_LATEX_TITLE,  /* its argument is a block */
    TW_LATEX_NOTE,   /* its argument stands apart */
    TW_LATEX_ACCENT, /* a mark over the next letter */
    TW_LATEX_BEGIN,
    TW_LATEX_END,
    TW_LATEX_VERB,
    TW_LATEX_DEFINE, /* \def\name#1{...} */
} tw_latex_meaning;

typedef struct tw_latex_command {
    const char *name;
    tw_latex_meaning meaning;
    unsigned value; /* arguments, gap, or mark */
    const char *text;
} tw_latex_command;

/* One that is not known is plain. */
tw_latex_environment tw_latex_environment_of(const char *name, size_t length);
/* NULL: not known. */
const tw_latex_command *tw_latex_command_of(const char *name, size_t length);

#endif
