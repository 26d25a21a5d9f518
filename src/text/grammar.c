/*
 * Grammars are shared libraries, one for each language and up to 5 MB: only those of the languages
 * that occur are loaded. They are searched for in the folder TWINSET_GRAMMARS; where that is not
 * set, near the library or command, as they are installed, and then where they were built. A node
 * is classified by its name in the grammar, as names of nodes end alike in all grammars.
 */
#define _GNU_SOURCE /* dladdr */
#include "grammar.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common_form.h"
#include "pool.h"

enum { MOST_LANGUAGES = 64 };

/* Loaded once for the process. */
static struct {
    pthread_mutex_t lock;
    bool ready; /* tree-sitter allocates from pools */
    tw_grammar *loaded[MOST_LANGUAGES];
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the class of a node, by the ending of its name; of several endings that fit, the first
 * counts
 */

static const struct {
    const char *ending;
    uint8_t class;
} endings[] = {
    {"comment", TW_NODE_COMMENT},
    {"haddock", TW_NODE_COMMENT},
    {"marginalia", TW_NODE_COMMENT},
    {"shebang", TW_NODE_COMMENT},
    {"shebang_line", TW_NODE_COMMENT},
    {"hash_bang_line", TW_NODE_COMMENT},

    {"import", TW_NODE_IMPORT},
    {"import_statement", TW_NODE_IMPORT},
    {"import_from_statement", TW_NODE_IMPORT},
    {"import_declaration", TW_NODE_IMPORT},
    {"preproc_include", TW_NODE_IMPORT},
    {"using_directive", TW_NODE_IMPORT},
    {"use_declaration", TW_NODE_IMPORT},
    {"open_module", TW_NODE_IMPORT},
    {"package_declaration", TW_NODE_IMPORT},
    {"package_header", TW_NODE_IMPORT},
    {"import_header", TW_NODE_IMPORT},
    {"import_list", TW_NODE_IMPORT},

    {"concatenated_string", TW_NODE_OTHER},
    {"chained_string", TW_NODE_OTHER},
    {"string", TW_NODE_STRING},
    {"string_literal", TW_NODE_STRING},
    {"string_expression", TW_NODE_STRING},
    {"template_literal_type", TW_NODE_STRING},
    {"character", TW_NODE_STRING},
    {"char_literal", TW_NODE_STRING},
    {"character_literal", TW_NODE_STRING},
    {"rune_literal", TW_NODE_STRING},
    {"regex", TW_NODE_STRING},
    {"regex_literal", TW_NODE_STRING},
    {"heredoc", TW_NODE_STRING},
    {"heredoc_body", TW_NODE_STRING},
    {"nowdoc", TW_NODE_STRING},
    {"jsx_text", TW_NODE_STRING},
    {"content", TW_NODE_CONTENT},

    {"integer", TW_NODE_NUMBER},
    {"complex", TW_NODE_NUMBER},
    {"number", TW_NODE_NUMBER},

    {"identifier", TW_NODE_NAME},
    {"name", TW_NODE_NAME},
    {"variable", TW_NODE_NAME},
    {"metavariable", TW_NODE_NAME},
    {"constant", TW_NODE_NAME},
    {"constructor", TW_NODE_NAME},
    {"parameter", TW_NODE_NAME},
    {"pattern", TW_NODE_NAME},
    {"word", TW_NODE_NAME},
    {"symbol", TW_NODE_NAME},
    {"label", TW_NODE_NAME},
    {"module_id", TW_NODE_NAME},
    {"literal_suffix", TW_NODE_NAME},
    {"php_tag", TW_NODE_OTHER},
    {"tag", TW_NODE_NAME},
    {"heredoc_start", TW_NODE_NAME},
    {"heredoc_beginning", TW_NODE_NAME},
    {"heredoc_end", TW_NODE_NAME},

    {"parenthesized_expression", TW_NODE_BRACKETS},
    {"parenthesized_statements", TW_NODE_BRACKETS},
    {"assignment", TW_NODE_HOLDER},
    {"assignment_expression", TW_NODE_HOLDER},
    {"compound_assignment_expr", TW_NODE_HOLDER},
    {"declarator", TW_NODE_HOLDER},
    {"let_declaration", TW_NODE_HOLDER},
    {"property_declaration", TW_NODE_HOLDER},
    {"val_definition", TW_NODE_HOLDER},
    {"var_definition", TW_NODE_HOLDER},
    {"let_binding", TW_NODE_HOLDER},
    {"return_statement", TW_NODE_HOLDER},
    {"return_expression", TW_NODE_HOLDER},
    {"expression_statement", TW_NODE_HOLDER},
    {"argument", TW_NODE_HOLDER},
    {"arguments", TW_NODE_HOLDER},
    {"list", TW_NODE_HOLDER},
    {"array", TW_NODE_HOLDER},
    {"array_expression", TW_NODE_HOLDER},
    {"initializer", TW_NODE_HOLDER},
    {"initializer_expression", TW_NODE_HOLDER},
    {"literal_element", TW_NODE_HOLDER},

    {"preproc_arg", TW_NODE_LINES},
    {"text", TW_NODE_LINES},
};

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), size = strlen(ending);
    return length >= size && strcmp(text + length - size, ending) == 0 &&
           (length == size || text[length - size - 1] == '_');
}

static uint8_t classify(const TSLanguage *parser, TSSymbol symbol, bool docstrings)
{
    const char *name = ts_language_symbol_name(parser, symbol);
    if (ts_language_symbol_type(parser, symbol) != TSSymbolTypeRegular)
        return TW_NODE_FIXED;
    if (strncmp(name, "keyword_", 8) == 0)
        return TW_NODE_OTHER;
    if (docstrings && strcmp(name, "expression_statement") == 0)
        return TW_NODE_STATEMENT;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(name, endings[i].ending))
            return endings[i].class;
    return TW_NODE_OTHER;
}

static uint8_t classify_common(const TSLanguage *parser, TSSymbol symbol)
{
    bool is_rule = ts_language_symbol_type(parser, symbol) == TSSymbolTypeRegular;
    return is_rule ? tw_common_classify(ts_language_symbol_name(parser, symbol)) : TW_COMMON_OTHER;
}

/* ---- where grammars lie */

#ifdef TW_LINKED_GRAMMARS

/* The grammars that are part of the program: grammars/build writes the table. */
extern const struct tw_linked_grammar {
    const char *name;
    const TSLanguage *(*parser)(void);
} tw_linked_grammars[];
extern tw_pool_memory twinset_memory; /* of memory.h there */

static int open_parser(const char *grammar, const TSLanguage **parser)
{
    const struct tw_linked_grammar *row = tw_linked_grammars;
    while (row->name && strcmp(row->name, grammar) != 0)
        row++;
    memcpy(&twinset_memory, &tw_pool_memory_calls, sizeof twinset_memory);
    *parser = row->name ? row->parser() : NULL;
    return TWINSET_OK;
}

#else

static void *open_in(const char *folder, const char *subfolder, const char *grammar)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s%s/%s.so", folder, subfolder, grammar);
    return length > 0 && (size_t)length < sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

/* Opens a grammar in the folders of an installation, relative to a file of it: the library, the
 * command, or the module of the Python package. */
static void *open_beside(const char *file, const char *grammar)
{
    static const char *const subfolders[] = {
        "/twinset/grammars", "/../" TW_LIBDIR "/twinset/grammars", "/grammars", "/../grammars"};
    char folder[PATH_MAX];
    const char *slash = strrchr(file, '/');
    if (!slash || (size_t)(slash - file) >= sizeof folder)
        return NULL;
    memcpy(folder, file, (size_t)(slash - file));
    folder[slash - file] = '\0';
    void *library = NULL;
    for (size_t i = 0; i < sizeof subfolders / sizeof *subfolders && !library; i++)
        library = open_in(folder, subfolders[i], grammar);
    return library;
}

static void *open_library(const char *grammar)
{
    const char *folder = getenv("TWINSET_GRAMMARS");
    if (folder)
        return open_in(folder, "", grammar);
    Dl_info here;
    void *library =
        dladdr(&table, &here) && here.dli_fname ? open_beside(here.dli_fname, grammar) : NULL;
    char command[PATH_MAX] = "";
    if (!library && readlink("/proc/self/exe", command, sizeof command - 1) > 0)
        library = open_beside(command, grammar);
    return library || !*TW_GRAMMARS ? library : open_in(TW_GRAMMARS, "", grammar);
}

/* NULL where there is none. TWINSET_LIMIT: it could not be opened, since too many files are open.
 */
static int open_parser(const char *grammar, const TSLanguage **parser)
{
    char entry[64];
    snprintf(entry, sizeof entry, "tree_sitter_%s", grammar);
    *parser = NULL;
    errno = 0;
    void *library = open_library(grammar);
    if (!library && tw_is_out_of_files())
        return TWINSET_LIMIT;
    void *found = library ? dlsym(library, entry) : NULL;
    if (!found)
        return TWINSET_OK;
    void *memory = dlsym(library, "twinset_memory");
    if (memory)
        memcpy(memory, &tw_pool_memory_calls, sizeof tw_pool_memory_calls);
    const TSLanguage *(*parser_of)(void);
    memcpy(&parser_of, &found, sizeof parser_of); /* ISO C has no cast to a function pointer */
    *parser = parser_of();
    return TWINSET_OK;
}

#endif

/* Finds the parser of a grammar; NULL where there is none, or of a version that this build cannot
 * run. */
static int find_parser(const char *grammar, const TSLanguage **parser)
{
    int status = open_parser(grammar, parser);
    uint32_t version = *parser ? ts_language_abi_version(*parser) : 0;
    if (version < TREE_SITTER_MIN_COMPATIBLE_LANGUAGE_VERSION ||
        version > TREE_SITTER_LANGUAGE_VERSION)
        *parser = NULL;
    return status;
}

static int load(const tw_language *language, tw_grammar **loaded)
{
    const TSLanguage *parser;
    int status = find_parser(language->grammar, &parser);
    if (status != TWINSET_OK)
        return status;
    size_t symbols = parser ? ts_language_symbol_count(parser) : 0;
    tw_grammar *grammar = tw_malloc(sizeof *grammar + 2 * symbols);
    if (!grammar)
        return TWINSET_NOMEM;
    grammar->parser = parser;
    grammar->common_class_of = grammar->class_of + symbols;
    bool docstrings = strcmp(language->name, "python") == 0;
    for (size_t i = 0; i < symbols; i++) {
        grammar->class_of[i] = classify(parser, (TSSymbol)i, docstrings);
        grammar->common_class_of[i] = classify_common(parser, (TSSymbol)i);
    }
    *loaded = grammar;
    return TWINSET_OK;
}

static void set_allocator(void)
{
    const tw_pool_memory *calls = &tw_pool_memory_calls;
    ts_set_allocator(calls->take, calls->take_zeroed, calls->take_more, calls->give_back);
    table.ready = true;
}

int tw_grammar_for(const tw_language *language, const tw_grammar **grammar)
{
    tw_grammar **loaded = &table.loaded[language - tw_language_at(0)];
    pthread_mutex_lock(&table.lock);
    if (!table.ready)
        set_allocator();
    int status = *loaded ? TWINSET_OK : load(language, loaded);
    *grammar = *loaded;
    pthread_mutex_unlock(&table.lock);
    return status;
}
