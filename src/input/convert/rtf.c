/*
 * RTF: text between control words, in groups. A destination, which is a group for something else
 * such as fonts or a header, is skipped. Characters beyond ASCII are Unicode, or bytes in the code
 * page of the font. List bullets and numbers that a writer set as text are left out, since HTML
 * has none either. Hidden text is left out and flagged. One pass; open groups are a stack.
 */
#include <string.h>

#include "common.h"
#include "convert/prose_writer.h"

typedef struct group {
    uint16_t page;    /* the code page of its bytes */
    uint8_t fallback; /* how many characters follow a \u for readers that do not know it */
    bool skipped;     /* it is a destination that is no text */
    bool fonts;       /* it is the font table */
    bool hidden;
    bool deleted; /* while changes were tracked */
} group;

enum { FONTS = 1024, DEFAULT_PAGE = 1252 };

typedef struct rtf {
    const char *at, *end;
    tw_prose prose;
    tw_bytes run;      /* bytes of text that are not decoded yet */
    uint16_t run_page; /* their code page */
    tw_converted *to;
    group now;    /* the innermost group */
    group *outer; /* the groups around it */
    size_t depth, capacity;
    uint16_t pages[FONTS]; /* the code page of each font; 0: that of the document */
    uint16_t page;         /* the code page of the document */
    size_t font;           /* the font whose entry in the table is read */
    unsigned to_skip;      /* how many characters follow that a \u has replaced */
} rtf;

/* ---- text */

static const char *page_name(unsigned page)
{
    static const struct {
        uint16_t page;
        const char *name;
    } names[] = {
        {437, "ibm437"},        {850, "ibm850"},        {852, "ibm852"},
        {866, "ibm866"},        {874, "windows-874"},   {932, "shift_jis"},
        {936, "gbk"},           {949, "euc-kr"},        {950, "big5"},
        {1250, "windows-1250"}, {1251, "windows-1251"}, {1252, "windows-1252"},
        {1253, "windows-1253"}, {1254, "windows-1254"}, {1255, "windows-1255"},
        {1256, "windows-1256"}, {1257, "windows-1257"}, {1258, "windows-1258"},
        {10000, "macintosh"},   {65001, "utf-8"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].page == page)
            return names[i].name;
    return "windows-1252";
}

static bool is_ascii(const tw_bytes *bytes)
{
    for (size_t i = 0; i < bytes->length; i++)
        if (bytes->data[i] & 0x80)
            return false;
    return true;
}

/* Decodes and writes the run, before something that is of another code page or no text. */
static void end_run(rtf *in)
{
    if (in->run.length == 0 || in->prose.status != TWINSET_OK)
        return;
    if (is_ascii(&in->run)) {
        tw_prose_add(&in->prose, in->run.data, in->run.length);
    } else {
        tw_converted decoded = {.flags = 0};
        in->prose.status =
            tw_to_utf8(in->run.data, in->run.length, page_name(in->run_page), &decoded);
        tw_add_flags(&decoded, in->to);
        tw_prose_add(&in->prose, decoded.text.data, decoded.text.length);
        tw_bytes_free(&decoded.text);
    }
    in->run.length = 0;
}

/* Whether a reader sees text here. Flags hidden text, unless it is a blank. */
static bool is_seen(rtf *in, bool is_blank)
{
    if (in->now.hidden && !in->now.skipped && !is_blank)
        in->to->flags |= TWINSET_FLAG_HIDDEN_TEXT;
    return !in->now.skipped && !in->now.hidden && !in->now.deleted;
}

static void add_bytes(rtf *in, const char *bytes, size_t length)
{
    while (in->to_skip > 0 && length > 0) {
        in->to_skip--;
        bytes++;
        length--;
    }
    if (length == 0 || !is_seen(in, tw_is_space(*bytes)))
        return;
    if (in->run_page != in->now.page)
        end_run(in);
    in->run_page = in->now.page;
    if (in->prose.status == TWINSET_OK)
        in->prose.status = tw_bytes_append(&in->run, bytes, length);
}

static void add_point(rtf *in, uint32_t point)
{
    if (!is_seen(in, false))
        return;
    end_run(in);
    tw_prose_add_point(&in->prose, point);
}

static void add_gap(rtf *in, tw_gap gap)
{
    if (in->now.skipped)
        return;
    end_run(in);
    tw_prose_gap(&in->prose, gap);
}

/* ---- control words */

typedef enum meaning {
    SKIP, /* begins a destination that is no text */
    GAP,
    POINT,
    FONT_TABLE,
    FONT,
    FONT_CHARSET,
    CODE_PAGE,
    FALLBACK,
    UNICODE,
    HIDE,
    DELETE,
    PLAIN,
    BINARY,
    NOTE,
} meaning;

typedef struct control_word {
    const char *name;
    meaning meaning;
    uint32_t value;
} control_word;

/* Sorted by name. */
static const control_word WORDS[] = {
    {"ansicpg", CODE_PAGE, 0},
    {"atnauthor", SKIP, 0},
    {"atnid", SKIP, 0},
    {"bin", BINARY, 0},
    {"bkmkend", SKIP, 0},
    {"bkmkstart", SKIP, 0},
    {"bullet", POINT, 0x2022},
    {"cell", GAP, TW_GAP_CELL},
    {"colortbl", SKIP, 0},
    {"column", GAP, TW_GAP_LINE},
    {"deleted", DELETE, 0},
    {"emdash", POINT, 0x2014},
    {"emspace", POINT, ' '},
    {"endash", POINT, 0x2013},
    {"enspace", POINT, ' '},
    {"f", FONT, 0},
    {"fcharset", FONT_CHARSET, 0},
    {"fldinst", SKIP, 0},
    {"fonttbl", FONT_TABLE, 0},
    {"footer", SKIP, 0},
    {"footerf", SKIP, 0},
    {"footerl", SKIP, 0},
    {"footerr", SKIP, 0},
    {"footnote", NOTE, 0},
    {"header", SKIP, 0},
    {"headerf", SKIP, 0},
    {"headerl", SKIP, 0},
    {"headerr", SKIP, 0},
    {"info", SKIP, 0},
    {"ldblquote", POINT, 0x201C},
    {"line", GAP, TW_GAP_LINE},
    {"listtext", SKIP, 0},
    {"lquote", POINT, 0x2018},
    {"mac", CODE_PAGE, 10000},
    {"nestcell", GAP, TW_GAP_CELL},
    {"nestrow", GAP, TW_GAP_LINE},
    {"nonesttables", SKIP, 0},
    {"nonshppict", SKIP, 0},
    {"objdata", SKIP, 0},
    {"page", GAP, TW_GAP_BLOCK},
    {"par", GAP, TW_GAP_BLOCK},
    {"pc", CODE_PAGE, 437},
    {"pca", CODE_PAGE, 850},
    {"pict", SKIP, 0},
    {"plain", PLAIN, 0},
    {"pntext", SKIP, 0},
    {"rdblquote", POINT, 0x201D},
    {"row", GAP, TW_GAP_LINE},
    {"rquote", POINT, 0x2019},
    {"sect", GAP, TW_GAP_BLOCK},
    {"stylesheet", SKIP, 0},
    {"tab", GAP, TW_GAP_CELL},
    {"tc", SKIP, 0},
    {"template", SKIP, 0},
    {"txe", SKIP, 0},
    {"u", UNICODE, 0},
    {"uc", FALLBACK, 0},
    {"v", HIDE, 0},
    {"xe", SKIP, 0},
};

static const control_word *find_word(const char *name, size_t length)
{
    size_t low = 0, high = sizeof WORDS / sizeof *WORDS;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strncmp(name, WORDS[middle].name, length);
        if (order == 0 && WORDS[middle].name[length] == '\0')
            return &WORDS[middle];
        if (order > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static uint16_t charset_page(int charset)
{
    static const struct {
        uint8_t charset;
        uint16_t page;
    } pages[] = {
        {77, 10000}, {128, 932},  {129, 949},  {134, 936},  {136, 950},  {161, 1253},
        {162, 1254}, {163, 1258}, {177, 1255}, {178, 1256}, {186, 1257}, {204, 1251},
        {222, 874},  {238, 1250}, {254, 437},  {255, 850},
    };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (pages[i].charset == charset)
            return pages[i].page;
    return 0;
}

/* Adds a code point of UTF-16. Each half of a surrogate pair comes alone; they are joined here. */
static void add_unicode(rtf *in, int32_t value)
{
    uint32_t point = (uint32_t)value & 0xFFFF;
    if (value > 0xFFFF)
        point = (uint32_t)value;
    const char *at = in->at;
    if (point >= 0xD800 && point < 0xDC00) {
        /* The fallback of the first half comes between. */
        for (unsigned i = 0; i < in->now.fallback && at < in->end && *at != '\\'; i++)
            at++;
        int32_t low = 0;
        bool found = in->end - at > 3 && at[0] == '\\' && at[1] == 'u';
        bool minus = found && at[2] == '-';
        for (at += found ? 2 + minus : 0; found && at < in->end && tw_is_digit(*at); at++)
            low = low < 100000 ? low * 10 + (*at - '0') : low;
        uint32_t second = (uint32_t)(minus ? -low : low) & 0xFFFF;
        if (second >= 0xDC00 && second < 0xE000) {
            point = 0x10000 + ((point - 0xD800) << 10) + (second - 0xDC00);
            in->at = at + (at < in->end && *at == ' ');
        }
    }
    add_point(in, point);
    in->to_skip = in->now.fallback;
}

static void set_font(rtf *in, int32_t number)
{
    bool known = number >= 0 && number < FONTS;
    if (in->now.fonts)
        in->font = known ? (size_t)number : FONTS;
    else
        in->now.page = known && in->pages[number] ? in->pages[number] : in->page;
}

static void set_page(rtf *in, int32_t page)
{
    in->page = in->now.page = page > 0 && page <= UINT16_MAX ? (uint16_t)page : DEFAULT_PAGE;
}

static void skip_binary(rtf *in, int32_t length)
{
    size_t left = (size_t)(in->end - in->at);
    in->at += length > 0 && (size_t)length < left ? (size_t)length : length > 0 ? left : 0;
}

/* Does what a word means. `value` is its number, or 1 if it has none. */
static void apply(rtf *in, const control_word *it, int32_t value, bool has_value)
{
    switch (it->meaning) {
    case SKIP:
        in->now.skipped = true;
        break;
    case GAP:
        add_gap(in, (tw_gap)it->value);
        break;
    case POINT:
        add_point(in, it->value);
        break;
    case FONT_TABLE:
        in->now.fonts = in->now.skipped = true;
        break;
    case FONT:
        set_font(in, has_value ? value : 0);
        break;
    case FONT_CHARSET:
        if (in->now.fonts && in->font < FONTS)
            in->pages[in->font] = charset_page(value);
        break;
    case CODE_PAGE:
        set_page(in, it->value ? (int32_t)it->value : value);
        break;
    case FALLBACK:
        in->now.fallback = value >= 0 && value < 256 ? (uint8_t)value : 1;
        break;
    case UNICODE:
        add_unicode(in, value);
        break;
    case HIDE:
        in->now.hidden = value != 0;
        break;
    case DELETE:
        in->now.deleted = value != 0;
        break;
    case PLAIN:
        in->now.hidden = in->now.deleted = false;
        break;
    case BINARY:
        skip_binary(in, value);
        break;
    case NOTE:
        in->now.skipped = false;
        add_gap(in, TW_GAP_BLANK);
        break;
    }
}

/* Takes a control word, from behind its backslash. */
static void take_word(rtf *in)
{
    const char *name = in->at;
    while (in->at < in->end && tw_is_letter(*in->at))
        in->at++;
    size_t length = (size_t)(in->at - name);
    bool minus = in->at < in->end && *in->at == '-';
    bool has_value = in->end - in->at > minus && tw_is_digit(in->at[minus]);
    int32_t value = has_value ? 0 : 1;
    if (has_value)
        for (in->at += minus; in->at < in->end && tw_is_digit(*in->at); in->at++)
            value = value < 100000000 ? value * 10 + (*in->at - '0') : value;
    in->at += in->at < in->end && *in->at == ' ';
    const control_word *found = find_word(name, length);
    if (found)
        apply(in, found, minus && has_value ? -value : value, has_value);
}

static int hex(char c)
{
    return tw_is_digit(c)                         ? c - '0'
           : tw_is_letter(c) && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                  : -1;
}

/* \'hh: a byte of text. */
static void take_byte(rtf *in)
{
    int high = in->end - in->at >= 2 ? hex(in->at[0]) : -1;
    int low = high >= 0 ? hex(in->at[1]) : -1;
    if (low < 0)
        return;
    in->at += 2;
    char byte = (char)(high << 4 | low);
    add_bytes(in, &byte, 1);
}

/* \*: the word that follows begins a destination, which readers may skip if they do not know it.
 * A note is known, and is text. */
static void take_optional(rtf *in)
{
    static const char note[] = "\\footnote";
    bool is_note =
        (size_t)(in->end - in->at) >= sizeof note - 1 && memcmp(in->at, note, sizeof note - 1) == 0;
    in->now.skipped |= !is_note;
}

static void take_symbol(rtf *in)
{
    char symbol = *in->at++;
    switch (symbol) {
    case '\'':
        take_byte(in);
        break;
    case '*':
        take_optional(in);
        break;
    case '~':
        add_bytes(in, " ", 1);
        break;
    case '_':
        add_bytes(in, "-", 1);
        break;
    case '\\':
    case '{':
    case '}':
        add_bytes(in, &symbol, 1);
        break;
    case '\n':
    case '\r':
        add_gap(in, TW_GAP_BLOCK);
        break;
    default: /* \- and others mean nothing for the text */
        break;
    }
}

/* ---- groups */

static void open_group(rtf *in)
{
    in->to_skip = 0;
    if (TW_GROW(in->outer, in->capacity, in->depth + 1) != TWINSET_OK)
        in->prose.status = TWINSET_NOMEM;
    else
        in->outer[in->depth++] = in->now;
}

static void close_group(rtf *in)
{
    in->to_skip = 0;
    if (in->depth > 0)
        in->now = in->outer[--in->depth];
}

static bool is_special(char c)
{
    return c == '\\' || c == '{' || c == '}' || c == '\r' || c == '\n';
}

static void take_plain(rtf *in)
{
    const char *from = in->at;
    while (in->at < in->end && !is_special(*in->at))
        in->at++;
    add_bytes(in, from, (size_t)(in->at - from));
}

static void take_all(rtf *in)
{
    while (in->at < in->end && in->prose.status == TWINSET_OK) {
        char c = *in->at;
        if (!is_special(c)) {
            take_plain(in);
            continue;
        }
        in->at++;
        if (c == '{')
            open_group(in);
        else if (c == '}')
            close_group(in);
        else if (c == '\\' && in->at < in->end && tw_is_letter(*in->at))
            take_word(in);
        else if (c == '\\' && in->at < in->end)
            take_symbol(in);
    }
    end_run(in);
}

static bool looks_like(const char *head, size_t length)
{
    return length >= 5 && memcmp(head, "{\\rtf", 5) == 0;
}

static int convert(const tw_material *from, tw_converted *to)
{
    if (!looks_like(from->bytes, from->length))
        return tw_refuse(to, "not RTF, though its name says so");
    rtf in = {
        .at = from->bytes,
        .end = from->bytes + from->length,
        .prose = {.text = &to->text, .start = to->text.length},
        .to = to,
        .now = {.page = DEFAULT_PAGE, .fallback = 1},
        .page = DEFAULT_PAGE,
    };
    take_all(&in);
    tw_bytes_free(&in.run);
    tw_free(in.outer);
    return tw_prose_end(&in.prose, from, to);
}

const tw_converter tw_convert_rtf = {
    .kind = "rtf",
    .endings = "rtf",
    .looks_like = looks_like,
    .convert = convert,
};
