/* What the environments and commands of LaTeX mean for its text. */
#ifndef TW_LATEX_WORDS_H
#define TW_LATEX_WORDS_H

#include "convert/prose_writer.h"

typedef struct tw_latex_environment {
    const char *name;
    enum { TW_LATEX_PLAIN, TW_LATEX_RAW, TW_LATEX_LEFT_OUT, TW_LATEX_FORMULA } kind;
    unsigned arguments; /* how many arguments it has, which are no text */
} tw_latex_environment;

typedef enum tw_latex_meaning {
    TW_LATEX_SKIP,   /* its first `value` arguments are no text */
    TW_LATEX_TEXT,   /* it stands for `text` */
    TW_LATEX_GAP,    /* it makes the gap `value` */
    TW_LATEX_TITLE,  /* its argument is a block of its own */
    TW_LATEX_NOTE,   /* its argument is separate words */
    TW_LATEX_ACCENT, /* it puts the mark `value` on the next letter */
    TW_LATEX_BEGIN,  /* \begin{name} */
    TW_LATEX_END,    /* \end{name} */
    TW_LATEX_VERB,   /* \verb|...| */
    TW_LATEX_DEFINE, /* \def\name#1{...} */
} tw_latex_meaning;

typedef struct tw_latex_command {
    const char *name;
    tw_latex_meaning meaning;
    unsigned value; /* as its meaning says */
    const char *text;
} tw_latex_command;

/* Finds an environment; an unknown one is plain and has no arguments. */
tw_latex_environment tw_latex_find_environment(const char *name, size_t length);
/* Finds a command; NULL: it is unknown. */
const tw_latex_command *tw_latex_find_command(const char *name, size_t length);

#endif
