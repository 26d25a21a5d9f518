/*
 * JSON lines and notebooks, by simdjson, which needs C++; to everyone else the functions are C. It
 * is compiled without exceptions, and simdjson allocates without them. simdjson also validates
 * UTF-8 here.
 *
 * A line is parsed as a whole, into simdjson's DOM, which validates all of it. Its other interface,
 * which reads on demand, does not look at what it skips, and is as fast only if it is compiled for
 * the very machine it runs on.
 */
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>

#include <simdjson.h>

extern "C" {
#include "common.h"
#include "convert.h"
#include "input.h"
}

namespace dom = simdjson::dom;
using simdjson::error_code;
using std::string_view;

static_assert(TW_JSON_PADDING >= simdjson::SIMDJSON_PADDING, "simdjson reads on beyond a line");

/* Buffers start large enough for lines of FIRST_BYTES, and are freed after one of more than
 * KEEP_BYTES. */
static constexpr size_t FIRST_BYTES = size_t(16) << 10, KEEP_BYTES = size_t(4) << 20;

struct tw_jsonl {
    string_view text_name, id_name;
    bool id_required;
    dom::parser parser;
    dom::document document;
    size_t capacity; /* the longest line that fits into parser and document */
    tw_bytes mended;
    bool is_mended; /* the document was parsed from `mended` */
    tw_number number;
    char reason[256];
};

/* ---- mending: simdjson cannot represent two things that are JSON: numbers beyond 64 bits, and
 * escapes of half a character. A line that has them is rare; a copy without them is parsed. */

/* A whole number of fewer digits fits into 64 bits. */
static constexpr ptrdiff_t BIG_DIGITS = 19;

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

/* The end of the whole number at `at`; NULL: it is in range, or no whole number. */
static const char *find_big_number_end(const char *at, const char *end)
{
    const char *digits = at + (*at == '-'), *stop = skip_digits(digits, end);
    if (stop - digits < BIG_DIGITS || *digits == '0')
        return nullptr;
    return stop < end && strchr(".eE", *stop) ? nullptr : stop;
}

/* The 16 bits of the \u escape at `at`, or -1. */
static int escaped_unit(const char *at, const char *end)
{
    constexpr string_view digits = "0123456789abcdef";
    int unit = 0;
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
        return -1;
    for (int i = 2; i < 6; i++) {
        size_t digit = digits.find(char(at[i] | 0x20));
        if (digit == digits.npos)
            return -1;
        unit = unit << 4 | int(digit);
    }
    return unit;
}

static bool is_surrogate(int unit)
{
    return unit >= 0xD800 && unit <= 0xDFFF;
}

static bool is_pair(int first, int second)
{
    return first >= 0xD800 && first <= 0xDBFF && second >= 0xDC00 && second <= 0xDFFF;
}

/* Copies bytes; returns how many. */
static size_t copy_bytes(char *out, const char *bytes, size_t length)
{
    memcpy(out, bytes, length);
    return length;
}

/* Copies a number; a big one becomes a string of the same digits. Returns its end. */
static const char *mend_number(tw_bytes *copy, const char *at, const char *end)
{
    const char *stop = find_big_number_end(at, end);
    const char *last = stop ? stop : skip_digits(at + 1, end);
    char *out = copy->data + copy->length;
    size_t size = 0;
    if (stop)
        out[size++] = '"';
    size += copy_bytes(out + size, at, size_t(last - at));
    if (stop)
        out[size++] = '"';
    copy->length += size;
    return last;
}

/* Copies an escape; half a surrogate pair becomes U+FFFD. Returns its end. */
static const char *mend_escape(tw_bytes *copy, const char *at, const char *end)
{
    int unit = escaped_unit(at, end);
    bool pair = unit >= 0 && is_pair(unit, escaped_unit(at + 6, end));
    size_t size = pair ? 12 : unit >= 0 ? 6 : end - at > 1 ? 2 : 1;
    const char *from = is_surrogate(unit) && !pair ? "\\uFFFD" : at;
    copy->length += copy_bytes(copy->data + copy->length, from, size);
    return at + size;
}

/* Copies a line without what simdjson cannot represent. Each big number takes two more bytes. */
static int mend(tw_bytes *copy, const char *line, size_t length)
{
    copy->length = 0;
    int status = tw_bytes_reserve(copy, length + length / BIG_DIGITS * 2 + 2 + TW_JSON_PADDING);
    if (status != TWINSET_OK)
        return status;
    bool in_string = false;
    for (const char *at = line, *end = line + length; at < end;) {
        if (in_string && *at == '\\') {
            at = mend_escape(copy, at, end);
        } else if (!in_string && (*at == '-' || (*at >= '0' && *at <= '9'))) {
            at = mend_number(copy, at, end);
        } else {
            in_string ^= *at == '"';
            copy->data[copy->length++] = *at++;
        }
    }
    return TWINSET_OK;
}

/* ---- parsing */

static const char *explain(error_code code)
{
    switch (code) {
    case simdjson::MEMALLOC: /* one such line need not end a run */
        return "too long to be parsed in the memory there is";
    case simdjson::CAPACITY:
        return "longer than 4 GB";
    case simdjson::DEPTH_ERROR:
        return "nested more than 1,000 deep";
    case simdjson::STRING_ERROR:
        return "not valid JSON: a string with a wrong escape";
    case simdjson::NUMBER_ERROR:
        return "not valid JSON: a wrong number, or one beyond all range";
    case simdjson::T_ATOM_ERROR:
    case simdjson::F_ATOM_ERROR:
    case simdjson::N_ATOM_ERROR:
        return "not valid JSON: a word that is not true, false or null";
    case simdjson::UTF8_ERROR:
        return "not valid UTF-8";
    case simdjson::EMPTY:
        return "not valid JSON: nothing in the line";
    case simdjson::UNESCAPED_CHARS:
        return "not valid JSON: a control character in a string";
    case simdjson::UNCLOSED_STRING:
        return "not valid JSON: a string has no end";
    default:
        return "not valid JSON: cut short, or a comma, colon or bracket is not where it should be";
    }
}

static void free_buffers(tw_jsonl *parser)
{
    parser->parser = dom::parser();
    parser->document = dom::document();
    parser->capacity = 0;
    tw_bytes_free(&parser->mended);
}

/* Makes the buffers large enough for a line, and larger, so that not every longer line allocates.
 */
static error_code reserve(tw_jsonl *parser, size_t length)
{
    if (length <= parser->capacity)
        return simdjson::SUCCESS;
    if (length > simdjson::SIMDJSON_MAXSIZE_BYTES)
        return simdjson::CAPACITY;
    size_t capacity = length < KEEP_BYTES ? FIRST_BYTES : length;
    while (capacity < length)
        capacity *= 2;
    error_code code = parser->document.allocate(capacity);
    if (!code)
        code = parser->parser.allocate(capacity);
    if (code)
        free_buffers(parser);
    else
        parser->capacity = capacity;
    return code;
}

static error_code parse_into(tw_jsonl *parser, const char *line, size_t length, dom::element *root)
{
    error_code code = reserve(parser, length);
    if (!code)
        code = parser->parser.parse_into_document(parser->document, line, length, false).get(*root);
    return code;
}

/* Parses a line into an object; *reason: it is none. */
static int parse(tw_jsonl *parser, const char *line, size_t length, dom::object *object,
                 const char **reason)
{
    if (parser->capacity > KEEP_BYTES)
        free_buffers(parser);
    if (length >= 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0) {
        line += 3;
        length -= 3;
    }
    dom::element root;
    error_code code = parse_into(parser, line, length, &root);
    parser->is_mended = code == simdjson::STRING_ERROR || code == simdjson::NUMBER_ERROR;
    if (parser->is_mended) {
        if (mend(&parser->mended, line, length) != TWINSET_OK)
            return TWINSET_NOMEM;
        code = parse_into(parser, parser->mended.data, parser->mended.length, &root);
    }
    if (code == simdjson::MEMALLOC && length <= KEEP_BYTES)
        return TWINSET_NOMEM;
    if (code)
        *reason = explain(code);
    else if (root.get(*object))
        *reason = "not a JSON object";
    return TWINSET_OK;
}

/* ---- fields */

/* Finds the field of that name; or, below a field that is named by what is before a dot, the one
 * named by the rest. */
static bool find(dom::object object, string_view name, dom::element *found)
{
    if (!object.at_key(name).get(*found))
        return true;
    for (size_t dot = 0; (dot = name.find('.', dot)) != name.npos; dot++) {
        dom::object inner;
        string_view first(name.data(), dot), rest(name.data() + dot + 1, name.size() - dot - 1);
        if (!object.at_key(first).get(inner) && find(inner, rest, found))
            return true;
    }
    return false;
}

/* Whether a string is a big number that was mended. */
static bool is_big_number(const tw_jsonl *parser, string_view text)
{
    const char *at = text.data(), *end = at + text.size();
    return parser->is_mended && at < end && find_big_number_end(at, end) == end;
}

static const char *name_kind(dom::element element)
{
    switch (element.type()) {
    case dom::element_type::OBJECT:
        return "an object";
    case dom::element_type::ARRAY:
        return "an array";
    case dom::element_type::BOOL:
        return "true or false";
    case dom::element_type::NULL_VALUE:
        return "null";
    default:
        return "a number";
    }
}

static const char *refuse(tw_jsonl *parser, string_view name, const char *is, const char *wanted)
{
    int length = int(name.size() < 100 ? name.size() : 100);
    if (is)
        snprintf(parser->reason, sizeof parser->reason, "field '%.*s' is %s, not %s", length,
                 name.data(), is, wanted);
    else
        snprintf(parser->reason, sizeof parser->reason, "no field '%.*s'", length, name.data());
    return parser->reason;
}

static const char *take_text(tw_jsonl *parser, dom::object object, tw_record *record)
{
    dom::element element;
    string_view text;
    record->lacks_text = !find(object, parser->text_name, &element);
    if (record->lacks_text)
        return refuse(parser, parser->text_name, nullptr, nullptr);
    record->lacks_text = element.is_null();
    if (element.get(text) || is_big_number(parser, text))
        return refuse(parser, parser->text_name, name_kind(element), "a string");
    record->text = text.data();
    record->text_length = text.size();
    return nullptr;
}

/* Prints a number without an exponent and with a digit after the point, if that fits. */
static tw_number print_real(double real)
{
    tw_number number;
    char *text = number.text;
    auto end = std::to_chars(text, text + sizeof number.text - 3, real, std::chars_format::fixed);
    if (end.ec != std::errc())
        return tw_number_real(real);
    bool whole = !memchr(text, '.', size_t(end.ptr - text));
    snprintf(end.ptr, 3, "%s", whole ? ".0" : "");
    return number;
}

static string_view print_number(tw_jsonl *parser, dom::element element)
{
    tw_number *number = &parser->number;
    uint64_t positive;
    int64_t whole;
    double real;
    if (!element.get(positive))
        *number = tw_number_whole(positive);
    else if (!element.get(whole))
        snprintf(number->text, sizeof number->text, "%" PRId64, whole);
    else if (!element.get(real))
        *number = print_real(real);
    return number->text;
}

static const char *take_id(tw_jsonl *parser, dom::object object, tw_record *record)
{
    dom::element element;
    string_view id;
    if (parser->id_name.empty())
        return nullptr;
    if (!find(object, parser->id_name, &element))
        return parser->id_required ? refuse(parser, parser->id_name, nullptr, nullptr) : nullptr;
    if (element.is_number())
        id = print_number(parser, element);
    else if (element.get(id))
        return parser->id_required
                   ? refuse(parser, parser->id_name, name_kind(element), "a string or a number")
                   : nullptr;
    record->id = id.data();
    record->id_length = id.size();
    record->id_is_number = element.is_number() || is_big_number(parser, id);
    return nullptr;
}

/* ---- notebooks */

/* Joins the text of a cell, which is a string or an array of strings. */
static int join_text(dom::element source, tw_bytes *text)
{
    string_view string;
    dom::array strings;
    text->length = 0;
    if (!source.get(string))
        return tw_bytes_append(text, string.data(), string.size());
    if (source.get(strings))
        return TWINSET_OK;
    int status = TWINSET_OK;
    for (dom::element each : strings)
        if (status == TWINSET_OK && !each.get(string))
            status = tw_bytes_append(text, string.data(), string.size());
    return status;
}

/* Gives cells to take(). Their text is in `source`, but that of code in nbformat 3 in `input`. */
static int give_cells(dom::array cells, tw_bytes *text, tw_cell_fn take, void *context)
{
    int status = TWINSET_OK;
    for (dom::element cell : cells) {
        dom::element source;
        string_view kind;
        if (cell["cell_type"].get(kind) ||
            (cell["source"].get(source) && cell["input"].get(source)))
            continue;
        status = join_text(source, text);
        if (status == TWINSET_OK && text->length > 0)
            status = take(context, kind == "code", text->data, text->length);
        if (status != TWINSET_OK)
            break;
    }
    return status;
}

/* ---- exported functions */

int tw_jsonl_new(const char *text, const char *id, tw_jsonl **parser)
{
    void *memory = tw_malloc(sizeof(tw_jsonl));
    if (!memory)
        return TWINSET_NOMEM;
    *parser = new (memory) tw_jsonl();
    (*parser)->text_name = text;
    (*parser)->id_required = id != nullptr;
    (*parser)->id_name = !id ? "id" : strcmp(id, "none") == 0 ? "" : id;
    return TWINSET_OK;
}

void tw_jsonl_free(tw_jsonl *parser)
{
    if (!parser)
        return;
    tw_bytes_free(&parser->mended);
    parser->~tw_jsonl();
    tw_free(parser);
}

int tw_jsonl_record(tw_jsonl *parser, const char *line, size_t length, tw_record *record)
{
    dom::object object;
    *record = tw_record();
    int status = parse(parser, line, length, &object, &record->reason);
    if (status == TWINSET_OK && !record->reason)
        record->reason = take_text(parser, object, record);
    if (status == TWINSET_OK && !record->reason)
        record->reason = take_id(parser, object, record);
    return status;
}

int tw_jsonl_value(tw_jsonl *parser, const char *line, size_t length, const char *field,
                   tw_value *value)
{
    dom::object object;
    dom::element element;
    string_view text;
    const char *reason = nullptr;
    *value = tw_value();
    int status = parse(parser, line, length, &object, &reason);
    if (status != TWINSET_OK || reason || !find(object, field, &element))
        return status;
    if (!element.get(value->number)) {
        value->kind = TW_VALUE_NUMBER;
    } else if (!element.get(text) && is_big_number(parser, text)) {
        value->kind = TW_VALUE_NUMBER;
        value->number = text[0] == '-' ? -HUGE_VAL : HUGE_VAL; /* kept if it is beyond a double */
        std::from_chars(text.data(), text.data() + text.size(), value->number);
    } else if (!element.get(text)) {
        value->kind = TW_VALUE_STRING;
        value->string = text.data();
        value->length = text.size();
    }
    return status;
}

int tw_jsonl_time(tw_jsonl *parser, const char *line, size_t length, unsigned *field,
                  tw_value *value)
{
    char name[TW_OPTION_WORD_BYTES];
    int status = TWINSET_OK;
    *value = tw_value();
    for (unsigned i = 0; i < *field && status == TWINSET_OK; i++) {
        if (!tw_list_word(TW_TIME_FIELDS, i, name))
            break;
        status = tw_jsonl_value(parser, line, length, name, value);
        if (status == TWINSET_OK && value->kind == TW_VALUE_NONE)
            continue;
        *field = i;
        break;
    }
    return status;
}

bool tw_is_utf8(const char *bytes, size_t length)
{
    return simdjson::validate_utf8(bytes, length);
}

int tw_jsonl_cells(tw_jsonl *parser, const char *bytes, size_t length, tw_cell_fn take,
                   void *context, const char **reason)
{
    dom::object notebook;
    dom::array cells, sheets;
    tw_bytes text = {};
    *reason = nullptr;
    int status = parse(parser, bytes, length, &notebook, reason);
    if (status != TWINSET_OK || *reason)
        return status;
    if (!notebook["cells"].get(cells)) {
        status = give_cells(cells, &text, take, context);
    } else if (!notebook["worksheets"].get(sheets)) { /* nbformat 3 */
        for (dom::element sheet : sheets)
            if (status == TWINSET_OK && !sheet["cells"].get(cells))
                status = give_cells(cells, &text, take, context);
    } else {
        *reason = "not a notebook: it has no cells";
    }
    tw_bytes_free(&text);
    return status;
}
