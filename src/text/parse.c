/*
 * The tokens of a program are the leaves of its tree, in order.
 *
 * The tree is walked with a cursor, so that its depth costs only a byte a level. Between two leaves
 * there should be nothing but space. Text that a parser skipped or hides goes to the plain lexer,
 * so that none is lost. Leaves that are whole lines, such as the body of a macro, go there as well.
 */
#include <string.h>

#include "common.h"
#include "common_form.h"
#include "grammar.h"
#include "pool.h"

enum { TEXT_LIMIT = 2 << 20 }; /* bytes; a parse takes up to a hundred times as much memory */

struct tw_parser {
    tw_pool pool;
    tw_bytes levels; /* the level of each node above the current one, a byte each */
    /* The current text. */
    const tw_language *language;
    const tw_grammar *grammar;
    const char *text;
    size_t length;
    size_t done;                    /* the text before this offset needs no more tokens */
    size_t leaf_bytes, error_bytes; /* of all leaves, and of those that fit no rule */
    tw_code *code;
};

int tw_parser_new(tw_parser **parser)
{
    *parser = tw_calloc(1, sizeof **parser);
    return *parser ? TWINSET_OK : TWINSET_NOMEM;
}

void tw_parser_free(tw_parser *parser)
{
    if (!parser)
        return;
    tw_pool_free(&parser->pool);
    tw_bytes_free(&parser->levels);
    tw_free(parser);
}

void tw_parser_set_limits(tw_parser *parser, tw_parse_limits *limits)
{
    parser->pool.limits = limits;
}

/* ---- the parse, and its limits */

static const char *give_text(void *context, uint32_t from, TSPoint position, uint32_t *size)
{
    const tw_parser *p = context;
    (void)position;
    size_t left = from < p->length ? p->length - from : 0;
    *size = (uint32_t)left;
    return p->text + p->length - left;
}

static TSTree *parse(tw_parser *p)
{
    TSParser *parser = ts_parser_new();
    TSInput input = {
        .payload = p, .read = give_text, .encoding = TSInputEncodingCustom, .decode = tw_pool_read};
    if (!ts_parser_set_language(parser, p->grammar->parser))
        return NULL;
    return ts_parser_parse(parser, NULL, input);
}

/* ---- from leaves to tokens */

static bool is_blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] > ' ')
            return false;
    return true;
}

static bool has_blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] <= ' ')
            return true;
    return false;
}

static int lex(tw_parser *p, size_t from, size_t to, uint32_t line)
{
    return tw_lex(p->language->lexis, p->text, from, to, line, p->code);
}

/* Lexes the text between the last leaf and the next, which begins on this line. */
static int fill_gap(tw_parser *p, size_t next, uint32_t line)
{
    size_t from = p->done;
    if (next <= from)
        return TWINSET_OK;
    p->done = next;
    if (is_blank(p->text + from, next - from))
        return TWINSET_OK;
    for (size_t i = from; i < next; i++)
        line -= p->text[i] == '\n';
    return lex(p, from, next, line);
}

static bool has_letter(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (tw_is_letter(c) || c == '_' || c == '$' || (unsigned char)c >= 0x80)
            return true;
    }
    return false;
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

static bool looks_like_number(const char *text, size_t length)
{
    bool sign = text[0] == '.' || text[0] == '-' || text[0] == '+';
    return tw_is_digit(text[0]) || (sign && length > 1 && tw_is_digit(text[1]));
}

/* Whether the text is a value that some grammars classify as a name. */
static bool is_value(const char *text, size_t length)
{
    static const char *const values[] = {"true", "false", "null", "True", "False"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (strlen(values[i]) == length && memcmp(text, values[i], length) == 0)
            return true;
    return false;
}

/* The normal form of a leaf, by its class and its bytes. An operator may have the class of a name.
 */
static tw_form form_of(const tw_parser *p, uint8_t class, const char *text, size_t length)
{
    if (class == TW_NODE_STRING)
        return TW_FORM_STRING;
    if (class != TW_NODE_FIXED && looks_like_number(text, length))
        return TW_FORM_NUMBER;
    if (class == TW_NODE_NAME && has_letter(text, length) && !is_value(text, length))
        return TW_FORM_NAME;
    if (class == TW_NODE_OTHER && (is_quote(text[0]) || is_quote(text[length - 1])))
        return TW_FORM_STRING;
    return p->language->lexis & TW_LEX_FOLD ? TW_FORM_FOLDED : TW_FORM_WRITTEN;
}

static int put_leaf(tw_parser *p, TSNode node, uint8_t class, bool error)
{
    static const uint8_t kinds[] = {[TW_FORM_NAME] = TW_TOKEN_NAME,
                                    [TW_FORM_NUMBER] = TW_TOKEN_LITERAL,
                                    [TW_FORM_STRING] = TW_TOKEN_LITERAL,
                                    [TW_FORM_WRITTEN] = TW_TOKEN_OTHER,
                                    [TW_FORM_FOLDED] = TW_TOKEN_OTHER};
    size_t start = ts_node_start_byte(node), end = ts_node_end_byte(node), length = end - start;
    const char *text = p->text + start;
    uint32_t line = ts_node_start_point(node).row + 1;
    int status = fill_gap(p, start, line);
    if (status != TWINSET_OK || is_blank(text, length))
        return status;
    p->done = end;
    p->leaf_bytes += length;
    p->error_bytes += error ? length : 0;
    tw_form form = form_of(p, class, text, length);
    if (class == TW_NODE_LINES || (form >= TW_FORM_WRITTEN && has_blank(text, length)))
        return lex(p, start, end, line);
    tw_token token = {(uint32_t)start, (uint32_t)end, line, kinds[form]};
    return tw_token_put(p->code, p->text, token, form);
}

/* ---- the walk */

/* What the parent of a node says about it. */
typedef enum level {
    LEVEL_RULE,
    LEVEL_ERROR,  /* the parent fits no rule */
    LEVEL_STRING, /* the node belongs to a string */
    LEVEL_HOLDER, /* brackets around the node mean nothing */
    LEVEL_BARE,   /* as LEVEL_HOLDER, and the node may be such a bracket */
    LEVEL_COMMON, /* with the parent's tw_common_class added */
} level;

static uint8_t class_of(const tw_parser *p, TSNode node)
{
    return ts_node_is_error(node) ? TW_NODE_LINES : p->grammar->class_of[ts_node_symbol(node)];
}

static bool is_docstring(const tw_parser *p, TSNode node)
{
    return ts_node_child_count(node) == 1 && class_of(p, ts_node_child(node, 0)) == TW_NODE_STRING;
}

static void move_to(tw_parser *p, size_t end)
{
    if (end > p->done)
        p->done = end;
}

/* Visits a node in a string, and returns whether to visit its children. What is interpolated is an
 * inner node; the string's token ends there. */
static bool visit_in_string(tw_parser *p, TSNode node, bool inner, level *below)
{
    uint8_t class = class_of(p, node);
    size_t start = ts_node_start_byte(node);
    tw_code *code = p->code;
    if (!inner || ts_node_is_error(node)) {
        move_to(p, ts_node_end_byte(node));
        return false;
    }
    if (class == TW_NODE_STRING || class == TW_NODE_CONTENT) {
        *below = LEVEL_STRING;
        return true;
    }
    move_to(p, start);
    if (code->count > 0 && code->tokens[code->count - 1].end > start)
        code->tokens[code->count - 1].end = (uint32_t)start;
    return true;
}

static int skip(tw_parser *p, TSNode node)
{
    int status = fill_gap(p, ts_node_start_byte(node), ts_node_start_point(node).row + 1);
    move_to(p, ts_node_end_byte(node));
    return status;
}

static level level_below(uint8_t class, level here)
{
    switch (class) {
    case TW_NODE_STRING:
        return LEVEL_STRING;
    case TW_NODE_HOLDER:
        return LEVEL_HOLDER;
    case TW_NODE_BRACKETS:
        return here >= LEVEL_HOLDER ? LEVEL_BARE : LEVEL_HOLDER;
    default:
        return LEVEL_RULE;
    }
}

static bool is_bracket(const tw_parser *p, TSNode node)
{
    size_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);
    return end == start + 1 && (p->text[start] == '(' || p->text[start] == ')');
}

/* Whether a node has no tokens: comments, imports, and brackets that change nothing, as in
 * `x = (y);`. */
static bool is_omitted(const tw_parser *p, TSNode node, uint8_t class, level here)
{
    switch (class) {
    case TW_NODE_COMMENT:
        return true;
    case TW_NODE_IMPORT:
        return ts_node_child_count(node) > 0;
    case TW_NODE_STATEMENT:
        return is_docstring(p, node);
    default:
        return here == LEVEL_BARE && is_bracket(p, node);
    }
}

/* Visits a node. *descend is whether to go on with its children, and *below is their level. */
static int visit(tw_parser *p, TSNode node, level here, bool *descend, level *below)
{
    bool inner = ts_node_child_count(node) > 0, error = ts_node_is_error(node);
    uint8_t class = class_of(p, node);
    *below = error ? LEVEL_ERROR : level_below(class, here);
    *descend = inner && class != TW_NODE_NUMBER;
    if (here == LEVEL_STRING) {
        *descend = visit_in_string(p, node, inner, below);
        return TWINSET_OK;
    }
    if (is_omitted(p, node, class, here)) {
        *descend = false;
        return skip(p, node);
    }
    if (*descend && class != TW_NODE_STRING)
        return TWINSET_OK;
    return put_leaf(p, node, class, error || here == LEVEL_ERROR);
}

/* ---- the forms that languages have in common */

static bool starts_value(const tw_parser *p, TSNode node)
{
    const char *text = p->text + ts_node_start_byte(node);
    size_t length = ts_node_end_byte(node) - ts_node_start_byte(node);
    return length > 0 && (*text == '=' || (length > 1 && memcmp(text, ":=", 2) == 0));
}

/* Whether a name is declared without a value, as not all languages do. */
static bool is_bare_declaration(const tw_parser *p, TSNode node, tw_common_class parent)
{
    if (parent != TW_COMMON_DECLARATION || class_of(p, node) != TW_NODE_NAME)
        return false;
    TSNode next = ts_node_next_sibling(node);
    return ts_node_is_null(next) || !starts_value(p, next);
}

/* Whether a node has no tokens in the vocabulary that languages share. */
static bool is_uncommon(const tw_parser *p, TSNode node, bool inner, tw_common_class parent)
{
    uint8_t class = class_of(p, node);
    if (ts_node_is_error(node))
        return false;
    return class == TW_NODE_COMMENT || class == TW_NODE_LINES ||
           (class == TW_NODE_IMPORT && inner) ||
           (class == TW_NODE_STATEMENT && is_docstring(p, node)) ||
           p->grammar->common_class_of[ts_node_symbol(node)] == TW_COMMON_OMITTED ||
           is_bare_declaration(p, node, parent);
}

/* Takes back the last token if it is a name that the leaf makes the first part of a longer one, as
 * in `math.sqrt`, since other languages have no such part. */
static void drop_owner(tw_parser *p, const char *text, size_t length, size_t start)
{
    tw_code *code = p->code;
    bool joins = (length == 1 && *text == '.') ||
                 (length == 2 && (memcmp(text, "->", 2) == 0 || memcmp(text, "::", 2) == 0 ||
                                  memcmp(text, "?.", 2) == 0));
    const tw_token *last = code->count ? &code->tokens[code->count - 1] : NULL;
    if (!joins || !last || last->end != start || last->kind != TW_TOKEN_NAME)
        return;
    code->count--;
    code->normal.length -= 2;
}

static int put_common(tw_parser *p, TSNode node, tw_common_class parent)
{
    size_t start = ts_node_start_byte(node), end = ts_node_end_byte(node), length = end - start;
    const char *text = p->text + start;
    tw_token token = {(uint32_t)start, (uint32_t)end, ts_node_start_point(node).row + 1,
                      TW_TOKEN_OTHER};
    if (is_blank(text, length))
        return TWINSET_OK;
    tw_form form = form_of(p, class_of(p, node), text, length);
    if (form < TW_FORM_WRITTEN) {
        token.kind = form == TW_FORM_NAME ? TW_TOKEN_NAME : TW_TOKEN_LITERAL;
        return tw_token_put(p->code, p->text, token, form);
    }
    const char *word = tw_common_form(text, length, parent);
    if (word)
        return tw_token_put_word(p->code, token, word);
    drop_owner(p, text, length, start);
    return TWINSET_OK;
}

/* As visit(), for the tokens that languages have in common. */
static int visit_common(tw_parser *p, TSNode node, level here, bool *descend, level *below)
{
    bool inner = ts_node_child_count(node) > 0, error = ts_node_is_error(node);
    uint8_t class = class_of(p, node);
    tw_common_class parent = here < LEVEL_COMMON ? TW_COMMON_OTHER : here - LEVEL_COMMON;
    *below = LEVEL_COMMON +
             (error ? TW_COMMON_OTHER : p->grammar->common_class_of[ts_node_symbol(node)]);
    *descend = false;
    if (is_uncommon(p, node, inner, parent))
        return TWINSET_OK;
    *descend = inner && class != TW_NODE_NUMBER && class != TW_NODE_STRING;
    if (*descend)
        return TWINSET_OK;
    size_t length = ts_node_end_byte(node) - ts_node_start_byte(node);
    p->leaf_bytes += length;
    p->error_bytes += error ? length : 0;
    return put_common(p, node, parent);
}

static int visit_current(tw_parser *p, const TSTreeCursor *cursor, level here, bool *descend,
                         level *below)
{
    TSNode node = ts_tree_cursor_current_node(cursor);
    return p->code->is_across ? visit_common(p, node, here, descend, below)
                              : visit(p, node, here, descend, below);
}

/* Moves past a node and all nodes below it. Returns false where it was the last. */
static bool go_to_next(tw_parser *p, TSTreeCursor *cursor, level *here)
{
    while (!ts_tree_cursor_goto_next_sibling(cursor)) {
        if (!ts_tree_cursor_goto_parent(cursor))
            return false;
        if (*here == LEVEL_STRING)
            move_to(p, ts_node_end_byte(ts_tree_cursor_current_node(cursor)));
        *here = (level)p->levels.data[--p->levels.length];
    }
    return true;
}

static int walk(tw_parser *p, TSTreeCursor *cursor)
{
    level here = LEVEL_RULE, below;
    p->levels.length = 0;
    do {
        bool descend;
        int status = visit_current(p, cursor, here, &descend, &below);
        while (status == TWINSET_OK && descend && ts_tree_cursor_goto_first_child(cursor)) {
            status = tw_bytes_append(&p->levels, &(char){(char)here}, 1);
            here = below;
            if (status == TWINSET_OK)
                status = visit_current(p, cursor, here, &descend, &below);
        }
        if (status != TWINSET_OK)
            return status;
    } while (go_to_next(p, cursor, &here));
    return TWINSET_OK;
}

static uint32_t count_lines(const char *text, size_t length)
{
    uint32_t lines = 1;
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    return lines;
}

/* Whether the text is likely to be no program of its language. Of 1,400 programs in 14 languages,
 * five had more than a tenth of their text in errors; parsed as another language, most have a fifth
 * to all of it. The constant allows for a slip in a short program. */
static bool is_doubtful(const tw_parser *p)
{
    bool dialects = p->language->lexis & TW_LEX_DIALECTS;
    return !dialects && p->error_bytes > 64 + p->leaf_bytes / 6;
}

static int take_tokens(tw_parser *p, bool *parsed)
{
    const TSTree *tree = parse(p);
    if (!tree)
        return TWINSET_OK;
    p->done = p->leaf_bytes = p->error_bytes = 0;
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
    int status = walk(p, &cursor);
    if (status == TWINSET_OK && !p->code->is_across)
        status = fill_gap(p, p->length, count_lines(p->text, p->length));
    p->code->unreliable = is_doubtful(p);
    *parsed = status == TWINSET_OK && !p->code->unreliable;
    return status;
}

int tw_parse(tw_parser *parser, const tw_language *language, const char *text, size_t length,
             tw_code *code, bool *parsed)
{
    *parsed = false;
    parser->language = language;
    parser->text = text;
    parser->length = length;
    parser->code = code;
    int status = tw_grammar_for(language, &parser->grammar);
    if (status != TWINSET_OK || !parser->grammar->parser || length > TEXT_LIMIT)
        return status;
    tw_pool_begin(&parser->pool, text);
    if (setjmp(parser->pool.leave) == 0) {
        status = take_tokens(parser, parsed);
    } else {
        status = parser->pool.reason == TW_POOL_NOMEM ? TWINSET_NOMEM : TWINSET_OK;
        code->unreliable = parser->pool.reason == TW_POOL_LONG;
    }
    tw_pool_end(&parser->pool);
    return status;
}
