/*
 * Markdown, parsed by md4c: CommonMark with the tables, task lists and deleted text of GitHub.
 * What a reader of the page would see stays: the text of links, code, notes. Images do not, as in
 * HTML, nor do bullets and numbers of lists. A block of HTML goes through the converter for HTML;
 * of the tags in a paragraph, only <br> means something. Addresses that are not marked as links
 * are text either way, and looking for them would take md4c quadratic time.
 *
 * One pass over the lines prepares the source. It removes what md4c does not know: front matter,
 * the marks of notes, and fences of colons. It also keeps the time of md4c linear, which would be
 * quadratic in three cases. md4c looks at all open lists for each empty line, so only one of
 * several in a row is left. It looks for the line of each bracket from the start of the paragraph,
 * so a paragraph of more lines than anybody writes is split. And it fills up the rows of tables,
 * so cells are counted.
 *
 * md4c allocates by malloc(), up to 16 bytes for each byte of the source, and counts them in an
 * int, which is why the size of the source is limited.
 */
#include <libxml/HTMLparser.h>
#include <md4c.h>
#include <string.h>
#include <utf8proc.h>

#include "common.h"
#include "convert/prose_writer.h"

enum { SOURCE_LIMIT_MB = 64, MARGIN = 3, MOST_LINES = 10000 };

typedef struct source_line {
    const char *begin, *end; /* without its newline */
} source_line;

static size_t length_of(source_line of)
{
    return (size_t)(of.end - of.begin);
}

static bool starts(source_line of, const char *word)
{
    size_t length = strlen(word);
    return length_of(of) >= length && memcmp(of.begin, word, length) == 0;
}

static source_line trimmed(source_line of)
{
    while (of.begin < of.end && tw_is_space(*of.begin))
        of.begin++;
    while (of.begin < of.end && tw_is_space(of.end[-1]))
        of.end--;
    return of;
}

/* Lines end with a newline, a carriage return, or both. */
static source_line next_line(const char **at, const char *end)
{
    source_line next = {*at, *at};
    while (next.end < end && *next.end != '\n' && *next.end != '\r')
        next.end++;
    *at = next.end;
    *at += *at < end && **at == '\r';
    *at += *at < end && **at == '\n';
    return next;
}

static size_t count_of(source_line of, char c)
{
    size_t count = 0;
    while (count < length_of(of) && of.begin[count] == c)
        count++;
    return count;
}

/* ---- before it is parsed */

/* Where the text begins: behind front matter, which is between two lines of --- or +++ and tells
 * programs how to make a page. */
static const char *skip_front_matter(const char *source, const char *end)
{
    const char *at = source;
    source_line first = trimmed(next_line(&at, end));
    if (length_of(first) != 3 || !(starts(first, "---") || starts(first, "+++")))
        return source;
    while (at < end) {
        source_line next = trimmed(next_line(&at, end));
        if (length_of(next) == 3 &&
            (memcmp(next.begin, first.begin, 3) == 0 || starts(next, "...")))
            return at;
    }
    return source;
}

/* The length of the mark of a note, such as [^1], at the start of a text; 0: there is none. */
static size_t measure_note_mark(const char *text, const char *end)
{
    if (end - text < 4 || text[0] != '[' || text[1] != '^')
        return 0;
    const char *at = text + 2;
    while (at < end && !tw_is_space(*at) && *at != '[' && *at != ']')
        at++;
    return at > text + 2 && at < end && *at == ']' ? (size_t)(at + 1 - text) : 0;
}

/* Whether a line defines the address of a link: [label]: address */
static bool is_definition(source_line of)
{
    const char *end = starts(of, "[") ? memchr(of.begin, ']', length_of(of)) : NULL;
    return end && end + 1 < of.end && end[1] == ':';
}

/* What the pass over the lines knows. */
typedef struct preparation {
    tw_bytes *out;
    char fence; /* the character of the fence before code, or 0: this is no code */
    size_t fence_length;
    size_t lines; /* how many there are since an empty one */
    bool in_note;
} preparation;

/* Notes whether code begins or ends with this line. */
static void pass_fence(preparation *to, source_line of)
{
    size_t ticks = count_of(of, '`'), tildes = count_of(of, '~');
    size_t length = ticks > tildes ? ticks : tildes;
    if (to->fence) {
        if (length >= to->fence_length && *of.begin == to->fence && length == length_of(of))
            to->fence = '\0';
    } else if (length >= 3 && !(ticks && memchr(of.begin + ticks, '`', length_of(of) - ticks))) {
        to->fence = *of.begin;
        to->fence_length = length;
    }
}

/* The length of what indents the lines of a note: four blanks or a tab. */
static size_t measure_note_indent(source_line of)
{
    return starts(of, "    ") ? 4 : starts(of, "\t") ? 1 : 0;
}

/* Writes a line, after an empty one if it begins a paragraph. */
static int write_line(preparation *to, source_line whole, bool begins_paragraph)
{
    int status = begins_paragraph ? tw_bytes_append(to->out, "\n", 1) : TWINSET_OK;
    if (status == TWINSET_OK)
        status = tw_bytes_append(to->out, whole.begin, length_of(whole));
    to->lines = begins_paragraph ? 1 : to->lines + 1;
    return status == TWINSET_OK ? tw_bytes_append(to->out, "\n", 1) : status;
}

/* Writes a line as md4c is to see it. A note begins a paragraph, and so does a definition after a
 * note. */
static int prepare_line(preparation *to, source_line whole)
{
    size_t indent = to->in_note ? measure_note_indent(whole) : 0;
    whole.begin += indent;
    source_line inner = trimmed(whole);
    pass_fence(to, inner);
    bool plain = !to->fence && inner.begin - whole.begin <= MARGIN;
    if (length_of(inner) == 0 || (plain && starts(inner, ":::"))) {
        bool after_empty = to->lines == 0;
        to->lines = 0;
        return after_empty ? TWINSET_OK : tw_bytes_append(to->out, "\n", 1);
    }
    size_t mark = plain ? measure_note_mark(inner.begin, inner.end) : 0;
    bool note = mark > 0 && inner.begin + mark < inner.end && inner.begin[mark] == ':';
    bool definition = plain && !note && is_definition(inner);
    bool begins_paragraph = note || (definition && to->in_note) || to->lines == MOST_LINES;
    if (note)
        whole.begin = inner.begin + mark + 1;
    to->in_note = note || (to->in_note && !definition && (indent > 0 || to->lines > 0));
    return write_line(to, whole, begins_paragraph);
}

/* Appends the source as md4c is to see it. */
static int prepare(const tw_bytes *source, tw_bytes *prepared)
{
    const char *end = source->data + source->length;
    const char *at = skip_front_matter(source->data, end);
    preparation to = {.out = prepared};
    int status = tw_bytes_reserve(prepared, source->length + 2);
    while (status == TWINSET_OK && at < end)
        status = prepare_line(&to, next_line(&at, end));
    return status;
}

/* ---- what md4c finds */

typedef struct markdown {
    const tw_material *from;
    tw_converted *to;
    tw_prose prose;
    int status;
    tw_bytes text;       /* what was found of a block and is not written yet */
    bool in_html;        /* the block is HTML */
    bool in_cell;        /* the block is a cell of a table */
    unsigned images;     /* how many are open, whose text nobody sees */
    uint64_t cells_left; /* how many cells tables may still have */
} markdown;

/* The return value of a callback; other than 0 ends the parsing. md4c 0.4.8 frees the address of a
 * link twice if it cannot get the memory to copy it, so parsing goes on only as long as there is
 * more memory than an address takes. */
static int proceed(markdown *in, int status)
{
    enum { ADDRESS_BYTES = 4096 };
    if (status == TWINSET_OK)
        status = in->prose.status;
    void *reserve = status == TWINSET_OK ? tw_malloc(ADDRESS_BYTES) : NULL;
    if (status == TWINSET_OK && !reserve)
        status = TWINSET_NOMEM;
    tw_free(reserve);
    if (in->status == TWINSET_OK)
        in->status = status;
    return in->status;
}

static int append(markdown *in, const char *bytes, size_t length)
{
    return proceed(in, tw_bytes_append(&in->text, bytes, length));
}

/* Writes what was found so far, as words. */
static void write_words(markdown *in)
{
    tw_prose_add(&in->prose, in->text.data, in->text.length);
    in->text.length = 0;
}

/* Writes text line by line, with its white space. Where quotations are marked, a line of code that
 * begins like one is indented, or it would be taken for one. */
static void write_lines(markdown *in, const tw_bytes *text, bool is_code)
{
    const char *at = text->data, *end = text->length > 0 ? at + text->length : at;
    while (at < end) {
        source_line next = next_line(&at, end);
        bool empty = length_of(trimmed(next)) == 0;
        tw_prose_gap(&in->prose, empty ? TW_GAP_BLOCK : TW_GAP_LINE);
        if (is_code && in->prose.marks_quotations && starts(next, ">"))
            tw_prose_add_verbatim(&in->prose, "    ", 4);
        tw_prose_add_verbatim(&in->prose, next.begin, empty ? 0 : length_of(next));
    }
}

/* Writes a block of HTML. Nothing of it is left out as boilerplate, since it is no whole page. */
static int write_html(markdown *in)
{
    tw_convert_rules rules = in->from->rules ? *in->from->rules : (tw_convert_rules){0};
    rules.html_boilerplate = TWINSET_BOILERPLATE_KEEP;
    tw_material block = {"block.html", in->text.data, in->text.length, in->from->limit_bytes,
                         &rules};
    tw_converted page = {.flags = 0};
    int status = tw_convert_html.convert(&block, &page);
    if (status == TWINSET_OK)
        write_lines(in, &page.text, false);
    else if (status == TWINSET_IO)
        status = tw_refuse(in->to, "%s", page.reason);
    in->to->flags |= page.flags;
    in->text.length = 0;
    tw_bytes_free(&page.text);
    return status;
}

/* Removes the label of a heading: {#name .class}. */
static void drop_label(tw_bytes *text)
{
    if (text->length == 0)
        return;
    source_line heading = trimmed((source_line){text->data, text->data + text->length});
    if (length_of(heading) == 0 || heading.end[-1] != '}')
        return;
    for (const char *at = heading.end - 1; at > heading.begin; at--)
        if (at[-1] == '{') {
            if (strchr("#.:-", *at))
                text->length = (size_t)(at - 1 - text->data);
            return;
        }
}

static tw_gap gap_of(MD_BLOCKTYPE type)
{
    switch (type) {
    case MD_BLOCK_DOC:
    case MD_BLOCK_THEAD:
    case MD_BLOCK_TBODY:
        return TW_GAP_NONE;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
        return TW_GAP_CELL;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
    case MD_BLOCK_LI:
    case MD_BLOCK_TR:
        return TW_GAP_LINE;
    default:
        return TW_GAP_BLOCK;
    }
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *context)
{
    markdown *in = context;
    (void)detail;
    write_words(in);
    tw_prose_gap(&in->prose, gap_of(type));
    in->prose.quoted += type == MD_BLOCK_QUOTE;
    in->in_cell = type == MD_BLOCK_TH || type == MD_BLOCK_TD;
    in->in_html = type == MD_BLOCK_HTML;
    if (in->in_html) /* the mark of UTF-8, whatever the HTML says */
        return append(in, "\xEF\xBB\xBF", 3);
    if (in->in_cell && in->cells_left-- == 0)
        return proceed(in, tw_refuse(in->to, "damaged: a table of too many empty cells"));
    return proceed(in, TWINSET_OK);
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *context)
{
    markdown *in = context;
    int status = TWINSET_OK;
    (void)detail;
    if (type == MD_BLOCK_HTML) {
        status = write_html(in);
    } else if (type == MD_BLOCK_CODE) {
        write_lines(in, &in->text, true);
        in->text.length = 0;
    } else {
        if (type == MD_BLOCK_H)
            drop_label(&in->text);
        write_words(in);
    }
    in->in_html = in->in_cell = false;
    tw_prose_gap(&in->prose, gap_of(type));
    in->prose.quoted -= type == MD_BLOCK_QUOTE;
    return proceed(in, status);
}

static int enter_span(MD_SPANTYPE type, void *detail, void *context)
{
    markdown *in = context;
    (void)detail;
    in->images += type == MD_SPAN_IMG;
    return proceed(in, TWINSET_OK);
}

static int leave_span(MD_SPANTYPE type, void *detail, void *context)
{
    markdown *in = context;
    (void)detail;
    in->images -= type == MD_SPAN_IMG;
    return proceed(in, TWINSET_OK);
}

/* ---- text */

/* Adds text without the marks of notes. */
static int add_plain(markdown *in, const char *text, size_t length)
{
    const char *end = text + length, *from = text, *at = text;
    while ((at = memchr(at, '[', (size_t)(end - at)))) {
        size_t mark = measure_note_mark(at, end);
        if (mark > 0 && append(in, from, (size_t)(at - from)) != TWINSET_OK)
            return in->status;
        at += mark > 0 ? mark : 1;
        from = mark > 0 ? at : from;
    }
    return append(in, from, (size_t)(end - from));
}

/* Adds code. In a table, \| is a bar. */
static int add_code(markdown *in, const char *text, size_t length)
{
    const char *end = text + length, *bar;
    while (in->in_cell && (bar = memchr(text, '|', (size_t)(end - text)))) {
        size_t before = (size_t)(bar - text);
        if (append(in, text, before - (before > 0 && bar[-1] == '\\')) != TWINSET_OK ||
            append(in, "|", 1) != TWINSET_OK)
            return in->status;
        text = bar + 1;
    }
    return append(in, text, (size_t)(end - text));
}

/* Reads the digits of a code point; one that is not valid is U+FFFD. */
static utf8proc_int32_t read_point(const char *at, const char *end, unsigned base)
{
    enum { REPLACEMENT = 0xFFFD, LAST = 0x10FFFF };
    utf8proc_int32_t point = 0;
    for (; at < end && point <= LAST; at++) {
        char c = tw_to_lower(*at);
        point = point * (utf8proc_int32_t)base + (tw_is_digit(c) ? c - '0' : c - 'a' + 10);
    }
    return point == 0 || !utf8proc_codepoint_valid(point) ? REPLACEMENT : point;
}

/* The code point of a named entity; 0: it is unknown. */
static utf8proc_int32_t find_entity(const char *name, size_t length)
{
    xmlChar terminated[16]; /* the longest of HTML 4 has 8 letters */
    if (length >= sizeof terminated)
        return 0;
    memcpy(terminated, name, length);
    terminated[length] = '\0';
    const htmlEntityDesc *found = htmlEntityLookup(terminated);
    return found ? (utf8proc_int32_t)found->value : 0;
}

/* Adds the character that &amp;, &#38; or &#x26; stands for. An unknown entity stays as it is. */
static int add_entity(markdown *in, const char *text, size_t length)
{
    const char *name = text + 1, *end = text + length - 1;
    utf8proc_uint8_t bytes[4];
    bool number = *name == '#', hex = number && tw_to_lower(name[1]) == 'x';
    utf8proc_int32_t point = number ? read_point(name + 1 + hex, end, hex ? 16 : 10)
                                    : find_entity(name, (size_t)(end - name));
    if (point == 0)
        return append(in, text, length);
    utf8proc_ssize_t size = utf8proc_encode_char(point, bytes);
    return append(in, (const char *)bytes, (size_t)size);
}

static int break_line(markdown *in)
{
    write_words(in);
    tw_prose_gap(&in->prose, TW_GAP_LINE);
    return proceed(in, TWINSET_OK);
}

/* Adds HTML: to its block, or in a paragraph, a line break. */
static int add_html(markdown *in, const char *text, size_t length)
{
    if (in->in_html)
        return append(in, text, length);
    bool breaks =
        length >= 4 && tw_bytes_equal_ignoring_case(text, "<br", 3) && !tw_is_alnum(text[3]);
    return breaks ? break_line(in) : proceed(in, TWINSET_OK);
}

static int add_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE length, void *context)
{
    markdown *in = context;
    if (in->images > 0)
        return proceed(in, TWINSET_OK);
    switch (type) {
    case MD_TEXT_NULLCHAR:
        return append(in, "", 1);
    case MD_TEXT_BR:
        return break_line(in);
    case MD_TEXT_SOFTBR:
        return append(in, "\n", 1);
    case MD_TEXT_ENTITY:
        return add_entity(in, text, length);
    case MD_TEXT_CODE:
        return add_code(in, text, length);
    case MD_TEXT_HTML:
        return add_html(in, text, length);
    default:
        return add_plain(in, text, length);
    }
}

/* ---- the converter */

/* How many cells tables may have. md4c adds cells to rows that lack some; only tables that are made
 * for it come to more. */
static uint64_t most_cells(size_t source_bytes)
{
    return (1 << 18) + 4 * (uint64_t)source_bytes;
}

static int parse(const tw_bytes *source, markdown *in)
{
    const MD_PARSER parser = {
        .flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS,
        .enter_block = enter_block,
        .leave_block = leave_block,
        .enter_span = enter_span,
        .leave_span = leave_span,
        .text = add_text,
    };
    int answer = md_parse(source->data, (MD_SIZE)source->length, &parser, in);
    tw_bytes_free(&in->text);
    return answer < 0 && in->status == TWINSET_OK ? TWINSET_NOMEM : in->status;
}

static int convert(const tw_material *from, tw_converted *to)
{
    tw_bytes source = {0}, prepared = {0};
    int status = tw_prose_decode(from, NULL, &source, to);
    if (status == TWINSET_OK && source.length > (size_t)SOURCE_LIMIT_MB << 20)
        status = tw_refuse(to, "Markdown of more than %d MB", SOURCE_LIMIT_MB);
    if (status == TWINSET_OK)
        status = prepare(&source, &prepared);
    tw_bytes_free(&source);
    markdown in = {
        .from = from,
        .to = to,
        .prose = {.text = &to->text,
                  .start = to->text.length,
                  .marks_quotations = tw_marks_quotations(from)},
        .cells_left = most_cells(prepared.length),
    };
    if (status == TWINSET_OK)
        status = parse(&prepared, &in);
    tw_bytes_free(&prepared);
    return status == TWINSET_OK ? tw_prose_end(&in.prose, from, to) : status;
}

const tw_converter tw_convert_markdown = {
    .kind = "markdown",
    .endings = "md markdown mkd",
    .convert = convert,
};
