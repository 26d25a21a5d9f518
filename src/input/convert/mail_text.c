#include "convert/mail.h"

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

/* What is not of the alphabet is skipped; after padding it may begin anew. */
int tw_mail_decode_base64(tw_mail_span from, tw_bytes *out)
{
    if (tw_bytes_reserve(out, tw_mail_length(from) / 4 * 3 + 3) != TWINSET_OK)
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

/* Moves past the end of a line that an encoder broke; NULL: the line does not end here. The last
 * line may lack its newline. */
static const char *skip_soft_break(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    if (at == end)
        return at;
    return *at == '\n' ? at + 1 : NULL;
}

int tw_mail_decode_quoted(tw_mail_span from, tw_bytes *out)
{
    if (tw_bytes_reserve(out, tw_mail_length(from)) != TWINSET_OK)
        return TWINSET_NOMEM;
    for (const char *at = from.at; at < from.end;) {
        const char *next = at + 1;
        char byte = *at;
        if (byte == '=') {
            int high = from.end - at > 2 ? hex_value(at[1]) : -1;
            int low = high >= 0 ? hex_value(at[2]) : -1;
            const char *joined = low < 0 ? skip_soft_break(next, from.end) : NULL;
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

typedef struct mail_line {
    const char *start; /* with its quote marks */
    const char *content;
    const char *end;
    size_t depth; /* how often it is quoted; known of flowed text alone */
    bool flows;   /* it goes on in the next line */
} mail_line;

typedef struct writer {
    const tw_mail_layout *layout;
    char *out;
    char *last, *second; /* starts of the last two lines with text that may be an attribution */
    bool flows;          /* the line before goes on, and its newline is not written yet */
    bool after_dropped;  /* the line before was left out as a quote */
    size_t depth;        /* how often the line before is quoted */
} writer;

static mail_line read_line(const char *at, const char *next, bool flowed)
{
    mail_line read = {.start = at, .content = at, .end = tw_mail_line(at, next).end};
    if (!flowed)
        return read;
    while (read.content < read.end && *read.content == '>')
        read.content++;
    read.depth = (size_t)(read.content - at);
    if (read.content < read.end && *read.content == ' ') /* added before it was sent */
        read.content++;
    bool is_signature = tw_mail_equals((tw_mail_span){read.content, read.end}, "-- ");
    read.flows = read.end > read.content && read.end[-1] == ' ' && !is_signature;
    return read;
}

/* Takes back "On such a day someone wrote:" before a quote, which may have two lines. */
static void drop_attribution(writer *to)
{
    const char *end = to->out;
    if (!to->last)
        return;
    while (end > to->last && tw_is_gap(end[-1]))
        end--;
    if (end - to->last >= 6 && memcmp(end - 6, "wrote:", 6) == 0) {
        bool has_one_line = strncmp(to->last, "On ", 3) == 0;
        bool has_two = !has_one_line && to->second && strncmp(to->second, "On ", 3) == 0;
        to->out = has_two ? to->second : to->last;
    }
    to->last = to->second = NULL;
}

static void write_line(writer *to, const mail_line *from, bool has_newline)
{
    bool joins = to->flows && from->depth == to->depth;
    const char *start = joins || from->depth == 0 ? from->content : from->start;
    const char *end = from->flows && to->layout->delete_space ? from->end - 1 : from->end;
    if (to->flows && !joins)
        *to->out++ = '\n';
    if (!joins && tw_mail_skip_space(start, end) < end) {
        to->second = to->last;
        to->last = to->out;
    }
    memmove(to->out, start, (size_t)(end - start));
    to->out += end - start;
    if (has_newline && !from->flows)
        *to->out++ = '\n';
    to->flows = from->flows;
    to->depth = from->depth;
}

void tw_mail_lay_out(tw_bytes *text, size_t start, const tw_mail_layout *layout)
{
    writer to = {.layout = layout, .out = text->data + start};
    const char *end = text->data + text->length;
    for (const char *at = to.out, *next; at < end; at = next) {
        next = tw_next_line(at, end);
        mail_line read = read_line(at, next, layout->flowed);
        bool drops = layout->drop_quotes && *at == '>';
        if (drops && !to.after_dropped)
            drop_attribution(&to);
        if (!drops)
            write_line(&to, &read, next[-1] == '\n');
        to.after_dropped = drops;
    }
    text->length = (size_t)(to.out - text->data);
}
