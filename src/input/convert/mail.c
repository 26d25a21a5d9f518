/*
 * E-mail (RFC 5322 with MIME): the text of the body as its reader sees it, without subject
 * and addresses, so that an essay equals the mail it was sent in. Of alternatives the plain
 * text is taken if it has words; attachments are left out, but for messages. What stands in
 * the text itself stays: the signature below "-- ", PGP's armour, uuencoded files.
 *
 * A part is a stretch of the file, and only text that is wanted is decoded. Each level of
 * nesting looks twice at its bytes at most, and there are few levels: the time is linear.
 */
#include "convert.h"

#include <string.h>

#include "common.h"

/* More of either is no mail that a person wrote. */
enum { MOST_LEVELS = 20, MOST_PARTS = 10000 };

typedef struct span {
    const char *at, *end;
} span;

typedef struct part {
    span type, coding, disposition; /* values of headers, maybe folded; empty: there is none */
    span body;
} part;

typedef struct reading {
    const tw_material *from;
    tw_converted *to;
    size_t start; /* of the text that is added */
    unsigned parts;
    bool encrypted; /* some of it */
} reading;

static size_t length_of(span s)
{
    return (size_t)(s.end - s.at);
}

static span span_of(const char *word)
{
    return (span){word, word + strlen(word)};
}

static bool starts_with(span s, const char *word)
{
    size_t length = strlen(word);
    return length_of(s) >= length && tw_bytes_equal_ignoring_case(s.at, word, length);
}

static bool equals(span s, const char *word)
{
    return length_of(s) == strlen(word) && starts_with(s, word);
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && tw_is_gap(*at))
        at++;
    return at;
}

/* The line without its newline. */
static span without_newline(const char *at, const char *next)
{
    if (next > at && next[-1] == '\n')
        next--;
    if (next > at && next[-1] == '\r')
        next--;
    return (span){at, next};
}

/* ---- headers */

/* Length of the name that a header starts with; 0: it is none. */
static size_t name_length(const char *at, const char *end)
{
    size_t length = 0, room = (size_t)(end - at);
    while (length < room && at[length] > ' ' && at[length] != 127 && at[length] != ':')
        length++;
    return length < room && at[length] == ':' ? length : 0;
}

/* The place after a header with the lines that continue it. */
static const char *header_end(const char *at, const char *end)
{
    do
        at = tw_line_end(at, end);
    while (at < end && (*at == ' ' || *at == '\t'));
    return at;
}

/* Keeps the headers that matter; the first of a name counts. */
static void take_header(part *p, span name, span value)
{
    const struct {
        const char *name;
        span *value;
    } wanted[] = {
        {"Content-Type", &p->type},
        {"Content-Transfer-Encoding", &p->coding},
        {"Content-Disposition", &p->disposition},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!wanted[i].value->at && equals(name, wanted[i].name))
            *wanted[i].value = value;
}

/* Parts headers from body. They end with an empty line, or before a line that is no header. */
static part open_part(span whole, const char *usual_type)
{
    part p = {.body = whole};
    const char *at = whole.at;
    for (size_t name; at < whole.end && (name = name_length(at, whole.end)) > 0;) {
        const char *next = header_end(at, whole.end);
        take_header(&p, (span){at, at + name}, (span){at + name + 1, next});
        at = next;
    }
    if (at < whole.end) {
        const char *next = tw_line_end(at, whole.end);
        p.body.at = length_of(without_newline(at, next)) == 0 ? next : at;
    } else {
        p.body.at = at;
    }
    if (skip_space(p.type.at, p.type.end) == p.type.end)
        p.type = span_of(usual_type);
    return p;
}

/* The first word of a header's value: "text/plain", "base64". */
static span first_word(span value)
{
    const char *at = skip_space(value.at, value.end), *end = at;
    while (end < value.end && !tw_is_gap(*end) && *end != ';' && *end != '(')
        end++;
    return (span){at, end};
}

/* The next semicolon that no quotes are around, or the end. */
static const char *next_semicolon(const char *at, const char *end)
{
    for (bool quoted = false; at < end && (quoted || *at != ';'); at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (quoted && *at == '\\' && end - at > 1)
            at++;
    }
    return at;
}

/* The value of a parameter such as charset; empty where there is none. */
static span parameter(span value, const char *name)
{
    const char *at = value.at, *end = value.end;
    while ((at = next_semicolon(at, end)) < end) {
        at = skip_space(at + 1, end);
        if (!starts_with((span){at, end}, name))
            continue;
        const char *start = skip_space(at + strlen(name), end);
        if (start == end || *start != '=')
            continue;
        start = skip_space(start + 1, end);
        if (start < end && *start == '"') {
            const char *quote = memchr(start + 1, '"', (size_t)(end - start - 1));
            return (span){start + 1, quote ? quote : end};
        }
        return first_word((span){start, end});
    }
    return (span){end, end};
}

/* ---- transfer encodings */

static int base64_value(char c)
{
    if (tw_is_capital(c))
        return c - 'A';
    if (tw_is_letter(c))
        return c - 'a' + 26;
    if (tw_is_digit(c))
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* What is not of the alphabet is passed over; after padding it may begin anew. */
static int decode_base64(span from, tw_bytes *out)
{
    if (tw_bytes_reserve(out, length_of(from) / 4 * 3 + 3) != TWINSET_OK)
        return TWINSET_NOMEM;
    unsigned bits = 0, count = 0;
    for (const char *at = from.at; at < from.end; at++) {
        int value = base64_value(*at);
        if (value >= 0) {
            bits = (bits << 6 | (unsigned)value) & 0xFFFF;
            count += 6;
        } else if (*at == '=') {
            count = 0;
        }
        if (count >= 8) {
            count -= 8;
            out->data[out->length++] = (char)(bits >> count);
        }
    }
    return TWINSET_OK;
}

static int hex_value(char c)
{
    if (tw_is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The place after a line break that is none, or NULL. The last line may lack its newline. */
static const char *soft_break(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    if (at == end)
        return at;
    return *at == '\n' ? at + 1 : NULL;
}

static int decode_quoted(span from, tw_bytes *out)
{
    if (tw_bytes_reserve(out, length_of(from)) != TWINSET_OK)
        return TWINSET_NOMEM;
    for (const char *at = from.at; at < from.end;) {
        const char *next = at + 1;
        char byte = *at;
        if (byte == '=') {
            int high = from.end - at > 2 ? hex_value(at[1]) : -1;
            int low = high >= 0 ? hex_value(at[2]) : -1;
            const char *joined = low < 0 ? soft_break(next, from.end) : NULL;
            if (joined) {
                at = joined;
                continue;
            }
            if (low >= 0) {
                byte = (char)(high << 4 | low);
                next = at + 3;
            }
        }
        out->data[out->length++] = byte;
        at = next;
    }
    return TWINSET_OK;
}

/* ---- lines of plain text */

typedef struct shape_rules {
    bool flowed;       /* format=flowed: a line that ends in a space goes on in the next */
    bool delete_space; /* delsp=yes: without that space */
    bool drop_quotes;
} shape_rules;

typedef struct line {
    const char *start; /* with its quote marks */
    const char *content;
    const char *end;
    size_t depth; /* of quoting, in flowed text alone */
    bool flows;
} line;

/* The text is rewritten in its place, as it never grows. */
typedef struct shaper {
    shape_rules rules;
    char *out;
    char *last, *second; /* starts of the last lines that are not empty, if not yet judged */
    bool flows;          /* the line before does, and has a newline to come */
    bool quoted;         /* it was left out as a quote */
    size_t depth;
} shaper;

static line read_line(const char *at, const char *next, bool flowed)
{
    line l = {.start = at, .content = at, .end = without_newline(at, next).end};
    if (!flowed)
        return l;
    while (l.content < l.end && *l.content == '>')
        l.content++;
    l.depth = (size_t)(l.content - at);
    if (l.content < l.end && *l.content == ' ') /* stuffed before it was sent */
        l.content++;
    bool signature = equals((span){l.content, l.end}, "-- ");
    l.flows = l.end > l.content && l.end[-1] == ' ' && !signature;
    return l;
}

/* Takes back "On such a day someone wrote:" before a quote, which may have two lines. */
static void drop_attribution(shaper *s)
{
    const char *end = s->out;
    if (!s->last)
        return;
    while (end > s->last && tw_is_gap(end[-1]))
        end--;
    if (end - s->last >= 6 && memcmp(end - 6, "wrote:", 6) == 0) {
        bool whole = strncmp(s->last, "On ", 3) == 0;
        bool above = !whole && s->second && strncmp(s->second, "On ", 3) == 0;
        s->out = above ? s->second : s->last;
    }
    s->last = s->second = NULL;
}

static void put_line(shaper *s, const line *l, bool newline)
{
    bool joined = s->flows && l->depth == s->depth;
    const char *from = joined || l->depth == 0 ? l->content : l->start;
    const char *end = l->flows && s->rules.delete_space ? l->end - 1 : l->end;
    if (s->flows && !joined)
        *s->out++ = '\n';
    if (!joined && skip_space(from, end) < end) {
        s->second = s->last;
        s->last = s->out;
    }
    memmove(s->out, from, (size_t)(end - from));
    s->out += end - from;
    if (newline && !l->flows)
        *s->out++ = '\n';
    s->flows = l->flows;
    s->depth = l->depth;
}

static void shape_lines(tw_bytes *text, size_t start, const shape_rules *rules)
{
    shaper s = {.rules = *rules, .out = text->data + start};
    const char *end = text->data + text->length;
    for (const char *at = s.out, *next; at < end; at = next) {
        next = tw_line_end(at, end);
        line l = read_line(at, next, rules->flowed);
        bool drops = rules->drop_quotes && *at == '>';
        if (drops && !s.quoted)
            drop_attribution(&s);
        if (!drops)
            put_line(&s, &l, next[-1] == '\n');
        s.quoted = drops;
    }
    text->length = (size_t)(s.out - text->data);
}

/* ---- text of a part */

/* The charset that a part declares, in `name`, or NULL. */
static const char *declared_charset(const part *p, char *name, size_t room)
{
    span charset = parameter(p->type, "charset");
    size_t length = length_of(charset);
    if (length == 0 || length >= room)
        return NULL;
    memcpy(name, charset.at, length);
    name[length] = '\0';
    return name;
}

static int add_plain(reading *r, const part *p)
{
    char name[64];
    size_t start = r->to->text.length;
    const tw_convert_rules *rules = r->from->rules;
    const shape_rules shape = {
        .flowed = equals(parameter(p->type, "format"), "flowed"),
        .delete_space = equals(parameter(p->type, "delsp"), "yes"),
        .drop_quotes = rules && rules->mail_quotes == TWINSET_QUOTES_DROP,
    };
    int status =
        tw_to_utf8(p->body.at, length_of(p->body), declared_charset(p, name, sizeof name), r->to);
    if (status == TWINSET_OK && r->to->text.length > start)
        shape_lines(&r->to->text, start, &shape);
    return status;
}

/* What the mail declares goes before what the page says of itself: a byte order mark tells
 * that it is UTF-8 by now. */
static int add_html(reading *r, const part *p)
{
    char name[64];
    const char *declared = declared_charset(p, name, sizeof name);
    tw_material page = *r->from;
    page.name = "part.html";
    page.bytes = p->body.at;
    page.length = length_of(p->body);
    tw_converted decoded = {0};
    int status = TWINSET_OK;
    if (declared) {
        status = tw_bytes_append(&decoded.text, "\xEF\xBB\xBF", 3);
        if (status == TWINSET_OK)
            status = tw_to_utf8(page.bytes, page.length, declared, &decoded);
        page.bytes = decoded.text.data;
        page.length = decoded.text.length;
        tw_adopt(&decoded, r->to);
    }
    if (status == TWINSET_OK)
        status = tw_convert_html.convert(&page, r->to);
    tw_bytes_free(&decoded.text);
    return status;
}

static int add_text(reading *r, const part *p)
{
    tw_bytes *text = &r->to->text;
    bool html = equals(first_word(p->type), "text/html");
    if (length_of(p->body) == 0)
        return TWINSET_OK;
    int status = html ? add_html(r, p) : add_plain(r, p);
    if (status == TWINSET_OK && text->length > 0 && text->data[text->length - 1] != '\n')
        status = tw_bytes_append(text, "\n", 1);
    if (status == TWINSET_OK && text->length - r->start > r->from->limit_bytes)
        return tw_refuse_large(r->to, r->from->limit_bytes);
    return status;
}

/* ---- parts of a part */

typedef struct parts {
    span rest; /* after a delimiter */
    span boundary;
    bool ended;
} parts;

/* Whether a line parts, and if so, whether it is the last that does. */
static bool is_delimiter(span l, span boundary, bool *last)
{
    size_t length = length_of(boundary);
    if (length_of(l) < length + 2 || memcmp(l.at, "--", 2) != 0 ||
        memcmp(l.at + 2, boundary.at, length) != 0)
        return false;
    l.at += 2 + length;
    *last = starts_with(l, "--");
    return skip_space(l.at + (*last ? 2 : 0), l.end) == l.end;
}

/* Goes on behind the next delimiter, and gives its start; without one, the end. */
static const char *pass_delimiter(parts *p)
{
    for (const char *at = p->rest.at, *next; at < p->rest.end; at = next) {
        next = tw_line_end(at, p->rest.end);
        if (is_delimiter((span){at, next}, p->boundary, &p->ended)) {
            p->rest.at = next;
            return at;
        }
    }
    p->ended = true;
    return p->rest.at = p->rest.end;
}

/* `ended` from the beginning: it has none. */
static parts open_parts(const part *p)
{
    parts found = {.rest = p->body, .boundary = parameter(p->type, "boundary")};
    found.ended = length_of(found.boundary) == 0;
    if (!found.ended)
        pass_delimiter(&found);
    return found;
}

static bool next_part(parts *p, span *found)
{
    if (p->ended)
        return false;
    found->at = p->rest.at;
    found->end = pass_delimiter(p);
    /* The newline before a delimiter belongs to it. */
    *found = without_newline(found->at, found->end);
    return true;
}

/* A message that is forwarded as an attachment is read, as it is no other file. */
static bool is_attachment(const part *p)
{
    return equals(first_word(p->disposition), "attachment") &&
           !equals(first_word(p->type), "message/rfc822");
}

static int add_part(reading *r, part p, unsigned level);

/* Of these alternatives, plain text or not, the first that has words. */
static int add_one_of(reading *r, parts alternatives, bool plain, unsigned level)
{
    tw_bytes *text = &r->to->text;
    size_t start = text->length;
    int status = TWINSET_OK;
    for (span whole; status == TWINSET_OK && next_part(&alternatives, &whole);) {
        part p = open_part(whole, "text/plain");
        if (equals(first_word(p.type), "text/plain") != plain || is_attachment(&p))
            continue;
        status = add_part(r, p, level + 1);
        if (tw_has_words(text, start))
            break;
        text->length = start;
    }
    return status;
}

static int add_multipart(reading *r, const part *p, unsigned level)
{
    span type = first_word(p->type);
    parts found = open_parts(p);
    size_t start = r->to->text.length;
    int status = TWINSET_OK;
    r->encrypted |= equals(type, "multipart/encrypted");
    if (found.ended)
        return add_text(r, &(part){.type = span_of("text/plain"), .body = p->body});
    if (equals(type, "multipart/alternative")) {
        status = add_one_of(r, found, true, level);
        if (status == TWINSET_OK && !tw_has_words(&r->to->text, start))
            status = add_one_of(r, found, false, level);
        return status;
    }
    const char *usual = equals(type, "multipart/digest") ? "message/rfc822" : "text/plain";
    for (span whole; status == TWINSET_OK && next_part(&found, &whole);) {
        part inner = open_part(whole, usual);
        if (!is_attachment(&inner))
            status = add_part(r, inner, level + 1);
    }
    return status;
}

/* Adds the text of a part. What holds parts may be base64, which makes each level shorter,
 * but not quoted-printable (nor do the standards allow it), or memory would add up. */
static int add_part(reading *r, part p, unsigned level)
{
    span type = first_word(p.type), coding = first_word(p.coding);
    bool multipart = starts_with(type, "multipart/"), message = equals(type, "message/rfc822");
    if (level > MOST_LEVELS)
        return tw_refuse(r->to, "nested more than %d deep", MOST_LEVELS);
    if (++r->parts > MOST_PARTS)
        return tw_refuse(r->to, "more than %d parts", MOST_PARTS);
    r->encrypted |= equals(type, "application/pkcs7-mime");
    if (!multipart && !message && !starts_with(type, "text"))
        return TWINSET_OK;

    tw_bytes decoded = {0};
    int status = TWINSET_OK;
    if (equals(coding, "base64"))
        status = decode_base64(p.body, &decoded);
    else if (equals(coding, "quoted-printable") && !multipart && !message)
        status = decode_quoted(p.body, &decoded);
    if (decoded.data)
        p.body = (span){decoded.data, decoded.data + decoded.length};
    if (status == TWINSET_OK && message)
        status = add_part(r, open_part(p.body, "text/plain"), level + 1);
    else if (status == TWINSET_OK)
        status = multipart ? add_multipart(r, &p, level) : add_text(r, &p);
    tw_bytes_free(&decoded);
    return status;
}

/* ---- what the table sees */

/* Without a byte order mark, and the line that mail folders have before a message. */
static span without_envelope(const tw_material *from)
{
    span whole = {from->bytes, from->bytes + from->length};
    if (starts_with(whole, "\xEF\xBB\xBF"))
        whole.at += 3;
    if (length_of(whole) >= 5 && memcmp(whole.at, "From ", 5) == 0)
        whole.at = tw_line_end(whole.at, whole.end);
    return whole;
}

static int convert(const tw_material *from, tw_converted *to)
{
    reading r = {.from = from, .to = to, .start = to->text.length};
    if (from->length == 0)
        return TWINSET_OK;
    int status = add_part(&r, open_part(without_envelope(from), "text/plain"), 0);
    if (status == TWINSET_OK && r.encrypted && !tw_has_words(&to->text, r.start))
        return tw_refuse(to, "encrypted");
    return status;
}

static bool is_one_of(span name, const char *const *names)
{
    while (*names && !equals(name, *names))
        names++;
    return *names != NULL;
}

/* Mail that was delivered begins with how it came. What only has headers like those of a mail
 * may be a news article, which is plain text. */
static bool looks_like(const char *head, size_t length)
{
    static const char *const first[] = {"Return-Path", "Received", "Delivered-To", NULL};
    static const char *const known[] = {"From",       "To",          "Cc",           "Subject",
                                        "Date",       "Message-ID",  "Content-Type", "MIME-Version",
                                        "References", "In-Reply-To", "Reply-To",     NULL};
    static const char *const news[] = {"Newsgroups", "Path", "Xref", NULL};
    const char *at = head, *end = head + length;
    unsigned seen = 0;
    for (size_t size; at < end && (size = name_length(at, end)) > 0; at = header_end(at, end)) {
        span name = {at, at + size};
        if (is_one_of(name, news) || (at == head && !is_one_of(name, first)))
            return false;
        seen += is_one_of(name, known);
    }
    bool ends_well =
        at == end || *at == '\n' || *at == '\r' || !memchr(at, '\n', (size_t)(end - at));
    return seen >= 2 && ends_well;
}

const tw_converter tw_convert_mail = {
    .kind = "mail", .endings = "eml", .looks_like = looks_like, .convert = convert};
