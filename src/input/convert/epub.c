/*
 * Books (EPUB): a zip of web pages, with a list of its files, the package, and in it the order in
 * which they are read, the spine. The text is that of the pages of the spine, in its order; a table
 * of contents, styles and pictures are left out. The zip is gone through four times at most; what
 * is held is the text, and one page. Time is linear, but for sorting the names.
 */
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "common.h"
#include "convert/office.h"

/* A dictionary has thousands of files. */
enum { MOST_FILES = 20000, MOST_PATH_BYTES = 4096 };
/* The pages of a book without its pictures. */
#define MOST_PAGE_BYTES ((uint64_t)256000000)

typedef struct epub_file {
    const char *id, *path;
    uint32_t number;   /* its index in the spine, from 1; 0: it is not read */
    bool is_page;      /* and no picture or table of contents */
    bool is_encrypted; /* and cannot be read */
} epub_file;

typedef struct epub_book {
    tw_arena *arena;
    const char *package; /* the path of the package */
    epub_file *files;
    size_t file_count, file_capacity;
    const char **spine; /* ids */
    size_t page_count, page_capacity;
    tw_bytes *texts; /* of the pages, in the order of the spine */
    int status;      /* of the first failure while XML was parsed */
} epub_book;

static epub_book *book_of(const tw_office *office)
{
    return tw_office_state(office);
}

/* Notes a failure: functions that libxml2 calls return nothing. */
static void note(epub_book *book, int status)
{
    if (book->status == TWINSET_OK)
        book->status = status;
}

/* ---- paths */

static int hex_digit(char c)
{
    return tw_is_digit(c)         ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The length of a path that ends in a slash without its last component; 0 stays. */
static size_t go_up(const char *path, size_t length)
{
    length -= length > 0;
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length;
}

/* Copies a reference, which has %20 for a space, "../" and a fragment, to a path in the zip. `path`
 * begins with the folder that the reference is relative to, of this length. */
static size_t resolve(char path[MOST_PATH_BYTES], size_t length, const char *reference,
                      size_t count)
{
    for (size_t i = 0; i < count && reference[i] != '#' && length < MOST_PATH_BYTES; i++) {
        bool is_code = reference[i] == '%' && i + 2 < count && hex_digit(reference[i + 1]) >= 0 &&
                       hex_digit(reference[i + 2]) >= 0;
        path[length++] =
            is_code ? (char)(hex_digit(reference[i + 1]) * 16 + hex_digit(reference[i + 2]))
                    : reference[i];
        i += is_code ? 2 : 0;
        bool is_folder_end = path[length - 1] == '/';
        if (is_folder_end && length >= 3 && memcmp(path + length - 3, "../", 3) == 0 &&
            (length == 3 || path[length - 4] == '/'))
            length = go_up(path, length - 3);
        else if (is_folder_end && length >= 2 && path[length - 2] == '.' &&
                 (length == 2 || path[length - 3] == '/'))
            length -= 2;
    }
    return length;
}

static const char *keep_path(epub_book *book, const char *folder, size_t folder_length,
                             const char *reference, size_t length)
{
    char path[MOST_PATH_BYTES];
    const char *kept = NULL;
    if (folder_length >= sizeof path)
        return NULL;
    memcpy(path, folder, folder_length);
    size_t end = resolve(path, folder_length, reference, length);
    if (end < sizeof path)
        note(book, tw_arena_copy(book->arena, path, end, &kept));
    return kept;
}

/* ---- the package */

static void start_root_file(tw_office *office, const xmlChar **attributes, int count)
{
    size_t length;
    epub_book *book = book_of(office);
    const char *path = tw_office_value(attributes, count, "full-path", &length);
    if (path && !book->package)
        book->package = keep_path(book, "", 0, path, length);
}

/* Whether a list of words in an attribute has this one. */
static bool has_word(const xmlChar **attributes, int count, const char *name, const char *word)
{
    size_t length = 0, size = strlen(word);
    const char *words = tw_office_value(attributes, count, name, &length);
    for (size_t i = 0; words && i + size <= length; i++)
        if (memcmp(words + i, word, size) == 0 && (i == 0 || words[i - 1] == ' ') &&
            (i + size == length || words[i + size] == ' '))
            return true;
    return false;
}

static bool is_picture(const xmlChar **attributes, int count)
{
    size_t length = 0;
    const char *type = tw_office_value(attributes, count, "media-type", &length);
    return type && length > 6 && memcmp(type, "image/", 6) == 0;
}

static void start_item(tw_office *office, const xmlChar **attributes, int count)
{
    size_t id_length, length;
    epub_book *book = book_of(office);
    const char *id = tw_office_value(attributes, count, "id", &id_length), *kept;
    const char *reference = tw_office_value(attributes, count, "href", &length);
    if (!id || !reference || book->file_count == MOST_FILES || book->status != TWINSET_OK)
        return;
    const char *slash = strrchr(book->package, '/');
    size_t folder = slash ? (size_t)(slash + 1 - book->package) : 0;
    const char *path = keep_path(book, book->package, folder, reference, length);
    note(book, tw_arena_copy(book->arena, id, id_length, &kept));
    note(book, TW_GROW(book->files, book->file_capacity, book->file_count + 1));
    if (path && book->status == TWINSET_OK)
        book->files[book->file_count++] = (epub_file){
            .id = kept,
            .path = path,
            .is_page =
                !is_picture(attributes, count) && !has_word(attributes, count, "properties", "nav"),
        };
}

static void start_item_reference(tw_office *office, const xmlChar **attributes, int count)
{
    size_t length;
    epub_book *book = book_of(office);
    const char *id = tw_office_value(attributes, count, "idref", &length), *kept;
    if (!id || book->page_count == MOST_FILES || book->status != TWINSET_OK)
        return;
    note(book, tw_arena_copy(book->arena, id, length, &kept));
    note(book, TW_GROW(book->spine, book->page_capacity, book->page_count + 1));
    if (book->status == TWINSET_OK)
        book->spine[book->page_count++] = kept;
}

static int by_id(const void *left, const void *right)
{
    return strcmp(((const epub_file *)left)->id, ((const epub_file *)right)->id);
}

static int by_path(const void *left, const void *right)
{
    return strcmp(((const epub_file *)left)->path, ((const epub_file *)right)->path);
}

static epub_file *find_path(const epub_book *book, const char *path)
{
    const epub_file wanted = {.path = path};
    return book->file_count
               ? bsearch(&wanted, book->files, book->file_count, sizeof wanted, by_path)
               : NULL;
}

static void start_encrypted(tw_office *office, const xmlChar **attributes, int count)
{
    size_t length;
    epub_book *book = book_of(office);
    const char *reference = tw_office_value(attributes, count, "URI", &length);
    const char *path = reference ? keep_path(book, "", 0, reference, length) : NULL;
    epub_file *file = path ? find_path(book, path) : NULL;
    if (file)
        file->is_encrypted = true;
}

/* Parses one file of the zip. `rules` say what its elements mean. */
static int read_xml(epub_book *book, const tw_office_rule *rules, size_t count, const char *path,
                    const tw_material *from, tw_converted *to)
{
    const tw_office_format format = {.rules = rules, .rule_count = count, .streams = {path}};
    tw_converted none = {0};
    int status = tw_office_convert(&format, book, from, &none);
    if (status == TWINSET_OK)
        status = book->status;
    if (status == TWINSET_IO)
        (void)tw_refuse(to, "%s", none.reason);
    tw_bytes_free(&none.text);
    return status;
}

/* Makes one of files with one path, which several ids may name; the first in the spine counts. */
static void join_names(epub_book *book)
{
    size_t kept = 0;
    for (size_t i = 1; i < book->file_count; i++) {
        epub_file *last = &book->files[kept], *file = &book->files[i];
        if (by_path(last, file) != 0)
            book->files[++kept] = *file;
        else if (file->number && (!last->number || file->number < last->number))
            last->number = file->number;
    }
    book->file_count = kept + 1;
}

/* Numbers the files that the spine names, and sorts all by their paths. */
static void number_pages(epub_book *book)
{
    if (!book->file_count)
        return;
    qsort(book->files, book->file_count, sizeof *book->files, by_id);
    for (size_t i = 0; i < book->page_count; i++) {
        const epub_file wanted = {.id = book->spine[i]};
        epub_file *file = bsearch(&wanted, book->files, book->file_count, sizeof wanted, by_id);
        if (file && file->is_page && !file->number)
            file->number = (uint32_t)i + 1;
    }
    qsort(book->files, book->file_count, sizeof *book->files, by_path);
    join_names(book);
}

static int read_package(epub_book *book, const tw_material *from, tw_converted *to)
{
    static const tw_office_rule container[] = {{"rootfile", 0, NULL, start_root_file, NULL}};
    static const tw_office_rule package[] = {{"item", 0, NULL, start_item, NULL},
                                             {"itemref", 0, NULL, start_item_reference, NULL}};
    static const tw_office_rule encryption[] = {
        {"CipherReference", 0, NULL, start_encrypted, NULL}};
    int status = read_xml(book, container, 1, "META-INF/container.xml", from, to);
    if (status == TWINSET_OK && !book->package)
        return tw_refuse(to, "damaged: it names no package");
    if (status == TWINSET_OK)
        status = read_xml(book, package, 2, book->package, from, to);
    if (status != TWINSET_OK)
        return status;
    number_pages(book);
    status = read_xml(book, encryption, 1, "META-INF/encryption.xml", from, to);
    return status == TWINSET_IO ? TWINSET_OK : status; /* most books have none */
}

/* ---- pages */

/* Converts a page. Nothing in a book is navigation or advertising. */
static int convert_page(epub_book *book, const epub_file *file, const tw_bytes *bytes,
                        const tw_material *from, uint64_t limit_bytes, tw_converted *to)
{
    tw_convert_rules rules = from->rules ? *from->rules : (tw_convert_rules){0};
    rules.html_boilerplate = TWINSET_BOILERPLATE_KEEP;
    tw_converted page = {0};
    const tw_material material = {file->path, bytes->length ? bytes->data : "", bytes->length,
                                  limit_bytes, &rules};
    int status = tw_convert_html.convert(&material, &page);
    if (status == TWINSET_IO)
        (void)tw_refuse(to, "%s", page.reason);
    if (status == TWINSET_OK) {
        tw_add_flags(&page, to);
        book->texts[file->number - 1] = page.text;
    } else {
        tw_bytes_free(&page.text);
    }
    return status;
}

static int read_page(epub_book *book, epub_file *file, tw_archive *archive, const tw_material *from,
                     uint64_t *left_bytes, tw_converted *to)
{
    const char *reason;
    tw_bytes bytes = {0};
    if (file->is_encrypted)
        return tw_refuse(to, "encrypted");
    int status = tw_archive_read(archive, MOST_PAGE_BYTES, &bytes, &reason);
    if (status == TWINSET_IO)
        (void)tw_refuse(to, "%s", reason);
    if (status == TWINSET_OK)
        status = convert_page(book, file, &bytes, from, *left_bytes, to);
    tw_bytes_free(&bytes);
    if (status != TWINSET_OK)
        return status;
    size_t length = book->texts[file->number - 1].length;
    if (length > *left_bytes)
        return tw_refuse_large(to, from->limit_bytes);
    *left_bytes -= length;
    file->number = 0; /* one name may come twice */
    return TWINSET_OK;
}

static int read_pages(epub_book *book, tw_archive *archive, const tw_material *from,
                      tw_converted *to)
{
    uint64_t left_bytes = from->limit_bytes;
    for (;;) {
        tw_member member;
        const char *reason;
        int status = tw_archive_next(archive, &member, &reason);
        if (status == TWINSET_IO)
            return tw_refuse(to, "%s", reason);
        if (status != TWINSET_OK || !member.name)
            return status;
        epub_file *file = find_path(book, member.name);
        if (!file || !file->number)
            continue;
        if (member.reason)
            return tw_refuse(to, "%s", member.reason);
        status = read_page(book, file, archive, from, &left_bytes, to);
        if (status != TWINSET_OK)
            return status;
    }
}

static int find_pages(epub_book *book, const tw_material *from, tw_converted *to)
{
    tw_archive *archive;
    const char *reason;
    int status =
        tw_archive_open(NULL, from->bytes, from->length, MOST_PAGE_BYTES, NULL, &archive, &reason);
    if (status == TWINSET_IO)
        return tw_refuse(to, "%s", reason);
    if (status != TWINSET_OK)
        return status;
    status = read_pages(book, archive, from, to);
    tw_archive_close(archive);
    for (size_t i = 0; i < book->file_count && status == TWINSET_OK; i++)
        if (book->files[i].number)
            status = tw_refuse(to, "damaged: there is no %.100s in it", book->files[i].path);
    return status;
}

static int append_pages(const epub_book *book, tw_converted *to)
{
    int status = TWINSET_OK;
    for (size_t i = 0; i < book->page_count && status == TWINSET_OK; i++) {
        const tw_bytes *text = &book->texts[i];
        status = tw_bytes_append(&to->text, text->data, text->length);
        if (status == TWINSET_OK && text->length && text->data[text->length - 1] != '\n')
            status = tw_bytes_append(&to->text, "\n", 1);
    }
    return status;
}

/* ---- the book */

static int read_book(epub_book *book, const tw_material *from, tw_converted *to)
{
    int status = read_package(book, from, to);
    if (status != TWINSET_OK)
        return status;
    book->texts = tw_calloc(book->page_count + 1, sizeof *book->texts);
    if (!book->texts)
        return TWINSET_NOMEM;
    status = find_pages(book, from, to);
    return status == TWINSET_OK ? append_pages(book, to) : status;
}

static int convert(const tw_material *from, tw_converted *to)
{
    epub_book book = {.arena = tw_arena_new(NULL)};
    int status = book.arena ? read_book(&book, from, to) : TWINSET_NOMEM;
    for (size_t i = 0; book.texts && i < book.page_count; i++)
        tw_bytes_free(&book.texts[i]);
    tw_free(book.texts);
    tw_free(book.files);
    tw_free(book.spine);
    tw_arena_release(book.arena);
    return status;
}

static bool looks_like(const char *head, size_t length)
{
    return tw_office_has_type(head, length, "application/epub+zip");
}

const tw_converter tw_convert_epub = {
    .kind = "epub", .endings = "epub", .looks_like = looks_like, .convert = convert};
