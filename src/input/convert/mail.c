/*
 * E-mail (RFC 5322 with MIME): the text of the body as its reader sees it, without subject and
 * addresses, so that an essay equals the mail it was sent in. Of alternatives, the plain text is
 * taken if it has words. Attachments are left out, but for messages. What is written in the text
 * itself stays: the signature below "-- ", PGP's armour, uuencoded files.
 *
 * Each level of nesting looks at its bytes twice at most, and levels are few: the time is linear.
 */
#include "convert/mail.h"

/* More of either is no mail that a person wrote. */
enum { MOST_LEVELS = 20, MOST_ENTITIES = 10000 };

typedef struct conversion {
    const tw_material *from;
    tw_converted *to;
    size_t start;          /* the length of the text before anything was added */
    unsigned entity_count; /* how many were read so far */
    bool has_encrypted;    /* some of them are encrypted */
} conversion;

static bool has_type(const tw_mail_entity *entity, const char *type)
{
    return tw_mail_equals(tw_mail_first_word(entity->type), type);
}

/* ---- the text of one entity */

/* The charset that an entity declares, copied to `name`; NULL: it declares none. */
static const char *declared_charset(const tw_mail_entity *entity, char *name, size_t capacity)
{
    tw_mail_span charset = tw_mail_parameter(entity->type, "charset");
    size_t length = tw_mail_length(charset);
    if (length == 0 || length >= capacity)
        return NULL;
    memcpy(name, charset.at, length);
    name[length] = '\0';
    return name;
}

static int add_plain(conversion *run, const tw_mail_entity *entity)
{
    char name[64];
    tw_bytes *text = &run->to->text;
    size_t start = text->length;
    const tw_convert_rules *rules = run->from->rules;
    const tw_mail_layout layout = {
        .flowed = tw_mail_equals(tw_mail_parameter(entity->type, "format"), "flowed"),
        .delete_space = tw_mail_equals(tw_mail_parameter(entity->type, "delsp"), "yes"),
        .drop_quotes = rules && rules->mail_quotes == TWINSET_QUOTES_DROP,
    };
    int status = tw_to_utf8(entity->body.at, tw_mail_length(entity->body),
                            declared_charset(entity, name, sizeof name), run->to);
    if (status == TWINSET_OK && text->length > start)
        tw_mail_lay_out(text, start, &layout);
    return status;
}

/* What the mail declares goes before what the page says of itself: with a byte order mark, the
 * page is UTF-8 by now. */
static int add_html(conversion *run, const tw_mail_entity *entity)
{
    char name[64];
    const char *declared = declared_charset(entity, name, sizeof name);
    tw_material page = *run->from;
    page.name = "page.html";
    page.bytes = entity->body.at;
    page.length = tw_mail_length(entity->body);
    tw_converted decoded = {0};
    int status = TWINSET_OK;
    if (declared) {
        status = tw_bytes_append(&decoded.text, "\xEF\xBB\xBF", 3);
        if (status == TWINSET_OK)
            status = tw_to_utf8(page.bytes, page.length, declared, &decoded);
        page.bytes = decoded.text.data;
        page.length = decoded.text.length;
        tw_add_flags(&decoded, run->to);
    }
    if (status == TWINSET_OK)
        status = tw_convert_html.convert(&page, run->to);
    tw_bytes_free(&decoded.text);
    return status;
}

static int add_text(conversion *run, const tw_mail_entity *entity)
{
    tw_bytes *text = &run->to->text;
    if (tw_mail_length(entity->body) == 0)
        return TWINSET_OK;
    int status = has_type(entity, "text/html") ? add_html(run, entity) : add_plain(run, entity);
    if (status == TWINSET_OK && text->length > 0 && text->data[text->length - 1] != '\n')
        status = tw_bytes_append(text, "\n", 1);
    if (status == TWINSET_OK && text->length - run->start > run->from->limit_bytes)
        return tw_refuse_large(run->to, run->from->limit_bytes);
    return status;
}

/* ---- entities in an entity */

/* A message that is forwarded as an attachment is read, since it is no other file. */
static bool is_attachment(const tw_mail_entity *entity)
{
    return tw_mail_equals(tw_mail_first_word(entity->disposition), "attachment") &&
           !has_type(entity, "message/rfc822");
}

static int add_entity(conversion *run, tw_mail_entity entity, unsigned level);

/* Adds the first alternative that has words, of those that are plain text or of the others. */
static int add_alternative(conversion *run, tw_mail_children alternatives, bool plain,
                           unsigned level)
{
    tw_bytes *text = &run->to->text;
    size_t start = text->length;
    int status = TWINSET_OK;
    for (tw_mail_span whole; status == TWINSET_OK && tw_mail_next_child(&alternatives, &whole);) {
        tw_mail_entity entity = tw_mail_open(whole, "text/plain");
        if (has_type(&entity, "text/plain") != plain || is_attachment(&entity))
            continue;
        status = add_entity(run, entity, level + 1);
        if (tw_has_words(text, start))
            break;
        text->length = start;
    }
    return status;
}

/* Adds all children; of those that belong to the first, such as the styles of a page, only that. */
static int add_children(conversion *run, const tw_mail_entity *entity, tw_mail_children children,
                        unsigned level)
{
    const char *usual_type = has_type(entity, "multipart/digest") ? "message/rfc822" : "text/plain";
    bool takes_first = has_type(entity, "multipart/related");
    int status = TWINSET_OK;
    for (tw_mail_span whole; status == TWINSET_OK && tw_mail_next_child(&children, &whole);) {
        tw_mail_entity child = tw_mail_open(whole, usual_type);
        if (!is_attachment(&child))
            status = add_entity(run, child, level + 1);
        if (takes_first)
            break;
    }
    return status;
}

/* One without a delimiter is plain text. */
static int add_multipart(conversion *run, const tw_mail_entity *entity, unsigned level)
{
    static const char plain[] = "text/plain";
    tw_mail_children children = tw_mail_open_children(entity);
    size_t start = run->to->text.length;
    run->has_encrypted |= has_type(entity, "multipart/encrypted");
    if (children.ended) {
        tw_mail_span type = {plain, plain + sizeof plain - 1};
        return add_text(run, &(tw_mail_entity){.type = type, .body = entity->body});
    }
    if (!has_type(entity, "multipart/alternative"))
        return add_children(run, entity, children, level);
    int status = add_alternative(run, children, true, level);
    if (status == TWINSET_OK && !tw_has_words(&run->to->text, start))
        status = add_alternative(run, children, false, level);
    return status;
}

/* Adds the text of an entity. One that holds others may be base64, which makes each level shorter,
 * but not quoted-printable, which the standards do not allow either: memory would add up. */
static int add_entity(conversion *run, tw_mail_entity entity, unsigned level)
{
    tw_mail_span type = tw_mail_first_word(entity.type);
    tw_mail_span coding = tw_mail_first_word(entity.coding);
    bool is_multipart = tw_mail_starts(type, "multipart/");
    bool is_message = tw_mail_equals(type, "message/rfc822");
    if (level > MOST_LEVELS)
        return tw_refuse(run->to, "nested more than %d deep", MOST_LEVELS);
    if (++run->entity_count > MOST_ENTITIES)
        return tw_refuse(run->to, "more than %d parts", MOST_ENTITIES);
    run->has_encrypted |= tw_mail_equals(type, "application/pkcs7-mime");
    if (!is_multipart && !is_message && !tw_mail_starts(type, "text"))
        return TWINSET_OK;

    tw_bytes decoded = {0};
    int status = TWINSET_OK;
    if (tw_mail_equals(coding, "base64"))
        status = tw_mail_decode_base64(entity.body, &decoded);
    else if (tw_mail_equals(coding, "quoted-printable") && !is_multipart && !is_message)
        status = tw_mail_decode_quoted(entity.body, &decoded);
    if (decoded.data)
        entity.body = (tw_mail_span){decoded.data, decoded.data + decoded.length};
    if (status == TWINSET_OK && is_message)
        status = add_entity(run, tw_mail_open(entity.body, "text/plain"), level + 1);
    else if (status == TWINSET_OK)
        status = is_multipart ? add_multipart(run, &entity, level) : add_text(run, &entity);
    tw_bytes_free(&decoded);
    return status;
}

/* ---- the converter */

/* The message without a byte order mark, and without the line that mail folders put before it. */
static tw_mail_span without_envelope(const tw_material *from)
{
    tw_mail_span whole = {from->bytes, from->bytes + from->length};
    if (tw_mail_starts(whole, "\xEF\xBB\xBF"))
        whole.at += 3;
    if (tw_mail_length(whole) >= 5 && memcmp(whole.at, "From ", 5) == 0)
        whole.at = tw_next_line(whole.at, whole.end);
    return whole;
}

static int convert(const tw_material *from, tw_converted *to)
{
    conversion run = {.from = from, .to = to, .start = to->text.length};
    if (from->length == 0)
        return TWINSET_OK;
    int status = add_entity(&run, tw_mail_open(without_envelope(from), "text/plain"), 0);
    if (status == TWINSET_OK && run.has_encrypted && !tw_has_words(&to->text, run.start))
        return tw_refuse(to, "encrypted");
    return status;
}

static bool is_one_of(tw_mail_span name, const char *const *names)
{
    while (*names && !tw_mail_equals(name, *names))
        names++;
    return *names != NULL;
}

/* Whether a header says that a page follows with all that belongs to it, as browsers save it. */
static bool is_saved_page(tw_mail_span name, const char *end)
{
    tw_mail_span value = {tw_mail_skip_space(name.end + 1, end), end};
    return tw_mail_equals(name, "Content-Type") && tw_mail_starts(value, "multipart/related");
}

/* Mail that was delivered begins with how it came. What only has headers like those of mail may be
 * a news article, which is plain text. */
static bool looks_like(const char *head, size_t length)
{
    static const char *const first[] = {"Return-Path", "Received", "Delivered-To", NULL};
    static const char *const known[] = {"From",       "To",          "Cc",           "Subject",
                                        "Date",       "Message-ID",  "Content-Type", "MIME-Version",
                                        "References", "In-Reply-To", "Reply-To",     NULL};
    static const char *const news[] = {"Newsgroups", "Path", "Xref", NULL};
    const char *at = head, *end = head + length;
    unsigned known_count = 0;
    bool is_delivered = true, is_page = false;
    for (size_t size; at < end && (size = tw_mail_name_length(at, end)) > 0;
         at = tw_mail_header_end(at, end)) {
        tw_mail_span name = {at, at + size};
        if (is_one_of(name, news))
            return false;
        is_delivered &= at != head || is_one_of(name, first);
        is_page |= is_saved_page(name, tw_mail_header_end(at, end));
        known_count += is_one_of(name, known);
    }
    bool ends_well =
        at == end || *at == '\n' || *at == '\r' || !memchr(at, '\n', (size_t)(end - at));
    return (is_delivered || is_page) && known_count >= 2 && ends_well;
}

const tw_converter tw_convert_mail = {
    .kind = "mail", .endings = "eml mht mhtml", .looks_like = looks_like, .convert = convert};
