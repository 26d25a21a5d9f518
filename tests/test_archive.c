/*
 * Archives: members of every format are read, from files and from memory, with harmless names, and
 * so are those of nested archives. Encrypted and damaged members and bombs are skipped with a
 * reason. Single compressed files in memory are read as well.
 */
#define _XOPEN_SOURCE 700
#include "testing.h"

#include "archiving.h"
#include "input.h"
#include "members.h"
#include "memory.h"
#include "pack.h"
#include "scanning.h"

#define ALL UINT64_MAX

/* ---- the listing of an archive: a line for each member */

static void note(text_buffer *to, const char *text)
{
    assert_int_equal(text_buffer_write(to, text, strlen(text)), 0);
}

static void note_member(text_buffer *to, tw_members *members, const tw_member *found,
                        uint64_t limit)
{
    const char *reason = NULL;
    tw_bytes bytes = {0};
    assert_int_equal(tw_bytes_append(&bytes, "before", 6), 0);
    int status = tw_members_read(members, limit, &bytes, &reason);
    note(to, found->name);
    note(to, "=");
    if (status == TWINSET_OK) {
        assert_null(found->reason);
        assert_int_equal(text_buffer_write(to, bytes.data + 6, bytes.length - 6), 0);
    } else {
        assert_int_equal(bytes.length, 6);
        note(to, "(");
        note(to, reason);
        note(to, ")");
    }
    note(to, "\n");
    tw_bytes_free(&bytes);
}

/* Lists all members, then "!reason" if the rest cannot be read. */
static text_buffer list_all(tw_members *members, uint64_t limit)
{
    text_buffer list = {0};
    tw_member found;
    const char *reason = NULL;
    int status;
    note(&list, "");
    while ((status = tw_members_next(members, &found, &reason)) == TWINSET_OK && found.name)
        note_member(&list, members, &found, limit);
    if (status != TWINSET_OK) {
        note(&list, "!");
        note(&list, reason);
    }
    tw_members_close(members);
    return list;
}

static text_buffer list_bytes(const char *name, const tw_bytes *archive, uint64_t most,
                              uint64_t limit)
{
    tw_members *members;
    const char *reason = NULL;
    /* The copy ends where its allocation ends, so that tools see overruns. */
    char *copy = malloc(archive->length + 1);
    memcpy(copy, archive->length ? archive->data : "", archive->length);
    text_buffer list = {0};
    if (tw_members_open_bytes(name, copy, archive->length, most, &members, &reason) == TWINSET_OK) {
        list = list_all(members, limit);
    } else {
        assert_null(members);
        note(&list, "!");
        note(&list, reason);
    }
    free(copy);
    return list;
}

static text_buffer list_file(const char *name, const tw_bytes *archive)
{
    tw_members *members;
    const char *reason = NULL;
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_true(!archive->length || fwrite(archive->data, archive->length, 1, file) == 1);
    fclose(file);
    text_buffer list = {0};
    if (tw_members_open(name, TW_INPUT_ARCHIVE, ALL, &members, &reason) == TWINSET_OK)
        return list_all(members, ALL);
    note(&list, "!");
    note(&list, reason);
    return list;
}

static void assert_lists(const char *name, tw_bytes archive, const char *expected)
{
    text_buffer list = list_bytes(name, &archive, ALL, ALL);
    assert_string_equal(list.text, expected);
    text_buffer_free(&list);
    list = list_file(name, &archive);
    assert_string_equal(list.text, expected);
    text_buffer_free(&list);
    tw_bytes_free(&archive);
}

static const struct {
    const char *name, *format, *packing;
} kinds[] = {
    {"a.zip", "zip", NULL},        {"a.tar", "pax", NULL},       {"a.tar", "gnutar", NULL},
    {"a.tar.gz", "pax", "gzip"},   {"A.TGZ", "ustar", "gzip"},   {"a.tar.xz", "pax", "xz"},
    {"a.txz", "pax", "xz"},        {"a.tar.zst", "pax", "zstd"}, {"a.tzst", "pax", "zstd"},
    {"a.tar.bz2", "pax", "bzip2"}, {"a.tbz2", "pax", "bzip2"},   {"a.7z", "7zip", NULL},
};

static const member two[] = {{"a.txt", "first", 0}, {"dir/b.txt", "second", 0}};

/* ---- members */

static void archives_are_recognised_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++)
        assert_true(tw_name_has_members(kinds[i].name));
    assert_true(tw_name_has_members("dir/mail.mbox"));
    static const char *const others[] = {"a", "zip", "a.gz", "a.txt", "a.docx", "a.zip/b", ".zip"};
    for (size_t i = 0; i < COUNT(others); i++)
        assert_false(tw_name_has_members(others[i]));
}

static void members_of_every_format_are_listed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++)
        assert_lists(kinds[i].name, archive_of(kinds[i].format, kinds[i].packing, NULL, two, 2),
                     "a.txt=first\ndir/b.txt=second\n");
    assert_lists("a.zip", archive_of("zip", NULL, "zip:compression=store", two, 2),
                 "a.txt=first\ndir/b.txt=second\n");
}

static void members_can_be_skipped(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        tw_bytes archive = archive_of(kinds[i].format, kinds[i].packing, NULL, two, 2), got = {0};
        tw_members *members;
        tw_member found;
        const char *reason;
        assert_int_equal(tw_members_open_bytes(kinds[i].name, archive.data, archive.length, ALL,
                                               &members, &reason),
                         0);
        for (int number = 0; number < 2; number++)
            assert_int_equal(tw_members_next(members, &found, &reason), 0);
        assert_string_equal(found.name, "dir/b.txt");
        assert_int_equal(found.size_bytes, 6);
        assert_int_equal(tw_members_read(members, ALL, &got, &reason), 0);
        assert_int_equal(got.length, 6);
        assert_int_equal(tw_members_next(members, &found, &reason), 0);
        assert_null(found.name);
        tw_members_close(members);
        tw_bytes_free(&archive);
        tw_bytes_free(&got);
    }
}

static void names_are_harmless(void **state)
{
    (void)state;
    static const member tricks[] = {
        {"../../etc/passwd", "1", 0},
        {"/abs", "2", 0},
        {"./a/./b/../c", "3", 0},
        {"win\\dir\\x", "4", 0},
        {"..\\up", "5", 0},
        {"new\nline\033[1m", "6", 0},
        {"..", "7", 0},
        {"Gr\xC3\xBC\xC3\x9F \xE6\xBC\xA2", "8", 0},
    };
    static const char expected[] = "etc/passwd=1\nabs=2\na/b/c=3\nwin/dir/x=4\nup=5\n"
                                   "new?line?[1m=6\n?=7\nGr\xC3\xBC\xC3\x9F \xE6\xBC\xA2=8\n";
    assert_lists("a.zip", archive_of("zip", NULL, NULL, tricks, COUNT(tricks)), expected);
    assert_lists("a.tar", archive_of("pax", NULL, NULL, tricks, COUNT(tricks)), expected);
    assert_lists("a.7z", archive_of("7zip", NULL, NULL, tricks, COUNT(tricks)), expected);

    static const member latin = {"caf\xE9.txt", "1", 0};
    assert_lists("a.tar", archive_of("ustar", NULL, NULL, &latin, 1), "caf?.txt=1\n");
    assert_lists("a.zip", archive_of("zip", NULL, NULL, &latin, 1), "?=1\n"); /* flagged as UTF-8 */
}

static void folders_are_skipped_and_links_have_a_reason(void **state)
{
    (void)state;
    tw_bytes made = {0};
    struct archive *to = archive_write_new();
    archive_write_set_format_pax(to);
    archive_write_open(to, &made, NULL, keep_bytes, NULL);
    static const struct {
        const char *name;
        unsigned type;
    } entries[] = {
        {"d", AE_IFDIR}, {"s", AE_IFLNK}, {"h", AE_IFREG}, {"f", AE_IFIFO}, {"file", AE_IFREG}};
    for (size_t i = 0; i < COUNT(entries); i++) {
        struct archive_entry *entry = archive_entry_new();
        archive_entry_set_pathname(entry, entries[i].name);
        archive_entry_set_filetype(entry, entries[i].type);
        if (i == 1)
            archive_entry_set_symlink(entry, "/etc/passwd");
        if (i == 2)
            archive_entry_set_hardlink(entry, "/etc/passwd");
        archive_entry_set_size(entry, i == 4);
        archive_write_header(to, entry);
        if (i == 4)
            archive_write_data(to, "x", 1);
        archive_entry_free(entry);
    }
    archive_write_free(to);
    assert_lists("a.tar", made,
                 "s=(symbolic link: not followed)\n"
                 "h=(a link to another file in the archive: not read)\n"
                 "f=(not a regular file: a FIFO)\n"
                 "file=x\n");
}

/* ---- nested archives */

static void nested_archives_are_opened_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        tw_bytes inner = archive_of(kinds[i].format, kinds[i].packing, NULL, two, 2);
        member middle[] = {{"x/inner.zip", inner.data, inner.length}, {"c.txt", "third", 0}};
        tw_bytes outer = archive_of("pax", "gzip", NULL, middle, 2);
        member most[] = {{"outer.tgz", outer.data, outer.length}, {"d.txt", "fourth", 0}};
        assert_lists("a.7z", archive_of("7zip", NULL, NULL, most, 2),
                     "outer.tgz!/x/inner.zip=(an archive inside an archive inside an archive)\n"
                     "outer.tgz!/c.txt=third\nd.txt=fourth\n");
        assert_lists("a.tgz", outer,
                     "x/inner.zip!/a.txt=first\nx/inner.zip!/dir/b.txt=second\nc.txt=third\n");
        tw_bytes_free(&inner);
    }
}

static void a_bad_nested_archive_is_one_member(void **state)
{
    (void)state;
    tw_bytes inner = archive_of("zip", NULL, NULL, two, 2);
    inner.length -= 200; /* the directory and more */
    member files[] = {{"bad.7z", "nothing", 0},
                      {"empty.zip", "", 0},
                      {"cut.zip", inner.data, inner.length},
                      {"last", "x", 0}};
    tw_bytes outer = archive_of("zip", NULL, NULL, files, 4);
    text_buffer list = list_bytes("a.zip", &outer, ALL, ALL);
    assert_non_null(strstr(list.text, "bad.7z=(not an archive)\nempty.zip=(not an archive)\n"
                                      "cut.zip!/a.txt=first\n"));
    assert_non_null(strstr(list.text, "\ncut.zip=(damaged: "));
    assert_non_null(strstr(list.text, ")\nlast=x\n"));
    text_buffer_free(&list);
    tw_bytes_free(&inner);
    tw_bytes_free(&outer);
}

/* ---- unreadable members */

static void encrypted_members_have_a_reason(void **state)
{
    (void)state;
    assert_lists("a.zip", archive_of("zip", NULL, "zip:encryption=zipcrypt", two, 2),
                 "a.txt=(encrypted)\ndir/b.txt=(encrypted)\n");
    assert_lists("a.zip", archive_of("zip", NULL, "zip:encryption=aes256", two, 2),
                 "a.txt=(encrypted)\ndir/b.txt=(encrypted)\n");
}

static void unreadable_archives_have_a_reason(void **state)
{
    (void)state;
    tw_members *members;
    const char *reason;
    assert_int_equal(tw_members_open("none.zip", TW_INPUT_ARCHIVE, ALL, &members, &reason),
                     TWINSET_IO);
    assert_string_equal(reason, "No such file or directory");
    assert_int_equal(mkdir("folder.zip", 0700), 0);
    assert_int_equal(tw_members_open("folder.zip", TW_INPUT_ARCHIVE, ALL, &members, &reason),
                     TWINSET_IO);
    assert_string_equal(reason, "is a folder");
    assert_int_equal(mkfifo("pipe.zip", 0600), 0);
    assert_int_equal(tw_members_open("pipe.zip", TW_INPUT_ARCHIVE, ALL, &members, &reason),
                     TWINSET_IO);
    assert_string_equal(reason, "not a regular file");
    assert_lists("a.zip", (tw_bytes){0}, "!not an archive");
    tw_bytes text = {0};
    assert_int_equal(tw_bytes_printf(&text, "It was a bright cold day in April"), 0);
    assert_lists("a.7z", text, "!not an archive");
}

/* Wherever an archive is cut, the members before are listed, and the rest has a reason. */
static void truncated_archives_give_their_first_members(void **state)
{
    (void)state;
    static const char whole[] = "a.txt=first\ndir/b.txt=second\n";
    for (size_t i = 0; i < COUNT(kinds); i++) {
        tw_bytes archive = archive_of(kinds[i].format, kinds[i].packing, NULL, two, 2);
        size_t step = archive.length > 2000 ? 101 : 1;
        for (size_t length = 0; length < archive.length; length += step) {
            tw_bytes cut = {.data = archive.data, .length = length};
            text_buffer list = list_bytes(kinds[i].name, &cut, ALL, ALL);
            size_t same = 0;
            while (list.text[same] && list.text[same] == whole[same])
                same++;
            assert_true(strchr("!(", list.text[same]));
            assert_true(list.text[same] || !whole[same]);
            text_buffer_free(&list);
        }
        tw_bytes_free(&archive);
    }
}

static void a_zip_is_read_without_its_directory(void **state)
{
    (void)state;
    tw_bytes archive = archive_of("zip", NULL, NULL, two, 2);
    char *list = archive.data + archive.length - 168;
    assert_memory_equal(list, "PK\1\2", 4);
    list[1] = '?';
    assert_lists("a.zip", archive, "a.txt=first\ndir/b.txt=second\n!damaged: its list of members");
}

static void reading_damaged_archives_ends(void **state)
{
    (void)state;
    dice from = new_dice();
    for (size_t i = 0; i < COUNT(kinds); i++) {
        tw_bytes archive = archive_of(kinds[i].format, kinds[i].packing, NULL, two, 2);
        for (int round = 0; round < 300; round++) {
            tw_bytes copy = {0};
            assert_int_equal(tw_bytes_append(&copy, archive.data, archive.length), 0);
            for (size_t flips = 1 + below(&from, 3); flips > 0; flips--)
                copy.data[below(&from, copy.length)] ^= (char)(1 << below(&from, 8));
            text_buffer list = list_bytes(kinds[i].name, &copy, ALL, 1 << 20);
            text_buffer_free(&list);
            tw_bytes_free(&copy);
        }
        tw_bytes_free(&archive);
    }
}

/* ---- limits */

/* More bytes than the limit for data that is compressed to a thousandth. */
enum { LARGE = 24000000 };

static void a_limit_refuses_a_single_member(void **state)
{
    (void)state;
    static const member files[] = {{"a", "1234", 0}, {"b", "123456", 0}, {"c", "12345", 0}};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        tw_bytes archive = archive_of(kinds[i].format, kinds[i].packing, NULL, files, 3);
        text_buffer list = list_bytes(kinds[i].name, &archive, ALL, 5);
        assert_string_equal(list.text, "a=1234\nb=(unpacks to more than 5 bytes)\nc=12345\n");
        text_buffer_free(&list);
        tw_bytes_free(&archive);
    }
}

static void bombs_are_bounded(void **state)
{
    (void)state;
    char *zeros = calloc(1, LARGE);
    member files[] = {{"a", "x", 0}, {"zeros", zeros, LARGE}, {"b", "y", 0}};
    static const struct {
        const char *name, *format, *packing, *expected;
    } bombs[] = {
        {"a.zip", "zip", NULL, "a=x\nzeros=(unpacks to more than 250 times its size)\nb=y\n"},
        {"a.tgz", "pax", "gzip",
         "a=x\nzeros=(unpacks to more than 250 times its size)\n"
         "!unpacks to more than 250 times its size"},
        {"a.7z", "7zip", NULL,
         "a=x\nzeros=(unpacks to more than 250 times its size)\n"
         "!unpacks to more than 250 times its size"},
    };
    for (size_t i = 0; i < COUNT(bombs); i++) {
        tw_bytes inner = archive_of(bombs[i].format, bombs[i].packing, NULL, files, 3);
        member around = {bombs[i].name, inner.data, inner.length};
        tw_bytes outer = archive_of("zip", NULL, NULL, &around, 1);
        text_buffer list = list_bytes("b.zip", &outer, ALL, ALL);
        assert_true(list.length < 1000);
        assert_non_null(strstr(list.text, "(unpacks to more than 250 times its size)"));
        text_buffer_free(&list);
        tw_bytes_free(&outer);
        assert_lists(bombs[i].name, inner, bombs[i].expected);
    }
    free(zeros);
}

static void all_members_together_are_bounded(void **state)
{
    (void)state;
    static char text[30000];
    dice from = new_dice();
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + below(&from, 26));
    member files[10];
    for (size_t i = 0; i < COUNT(files); i++)
        files[i] = (member){"file", text, sizeof text};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        tw_bytes archive = archive_of(kinds[i].format, kinds[i].packing, NULL, files, 10);
        text_buffer list = list_bytes(kinds[i].name, &archive, 120000, ALL);
        assert_true(list.length < 200000);
        assert_non_null(strstr(list.text, "its members unpack to more than is allowed"));
        text_buffer_free(&list);
        tw_bytes_free(&archive);
    }
}

/* ---- single compressed files */

static int append(void *context, const char *bytes, size_t count)
{
    return tw_bytes_append(context, bytes, count) == TWINSET_OK ? 0 : 1;
}

static void pack(const char *ending, const char *bytes, size_t length, tw_bytes *packed)
{
    tw_pack *to = NULL;
    twinset_error error;
    assert_ok(tw_pack_new(ending, 1, append, packed, &to, &error), &error);
    assert_ok(tw_pack_write(to, bytes, length, &error), &error);
    assert_ok(tw_pack_end(to, &error), &error);
    tw_pack_free(to);
}

static const char *const endings[] = {".gz", ".zst", ".xz", ".bz2"};

static void compressed_bytes_are_decompressed(void **state)
{
    (void)state;
    dice from = new_dice();
    for (size_t i = 0; i < COUNT(endings); i++) {
        char *text = random_text(&from, 30000, 1000);
        size_t length = strlen(text);
        tw_bytes packed = {0}, out = {0};
        bool was_packed = false;
        const char *reason;
        pack(endings[i], text, 1000, &packed);
        pack(endings[i], text + 1000, length - 1000, &packed);
        assert_int_equal(tw_bytes_append(&out, "before", 6), 0);
        assert_int_equal(tw_unpack(packed.data, packed.length, length, &out, &was_packed, &reason),
                         0);
        assert_true(was_packed);
        assert_int_equal(out.length, length + 6);
        assert_memory_equal(out.data + 6, text, length);

        assert_int_equal(
            tw_unpack(packed.data, packed.length, length - 1, &out, &was_packed, &reason),
            TWINSET_IO);
        assert_string_equal(reason, "unpacks to more than a document may have");
        for (size_t cut = packed.length - 1; cut > 100; cut -= cut / 7)
            assert_int_equal(tw_unpack(packed.data, cut, length, &out, &was_packed, &reason),
                             TWINSET_IO);
        assert_int_equal(out.length, length + 6);
        tw_bytes_free(&packed);
        tw_bytes_free(&out);
        free(text);
    }
}

static void uncompressed_bytes_are_unchanged(void **state)
{
    (void)state;
    tw_bytes out = {0};
    bool packed = true;
    const char *reason;
    static const char *const plain[] = {"", "\x1F", "plain", "PK\3\4"};
    for (size_t i = 0; i < COUNT(plain); i++) {
        assert_int_equal(tw_unpack(plain[i], strlen(plain[i]), ALL, &out, &packed, &reason), 0);
        assert_false(packed);
    }
    assert_int_equal(out.length, 0);
}

static void compressed_bombs_are_bounded(void **state)
{
    (void)state;
    char *zeros = calloc(1, LARGE);
    for (size_t i = 0; i < COUNT(endings); i++) {
        tw_bytes packed = {0}, out = {0};
        bool was_packed;
        const char *reason;
        pack(endings[i], zeros, LARGE, &packed);
        assert_int_equal(tw_unpack(packed.data, packed.length, ALL, &out, &was_packed, &reason),
                         TWINSET_IO);
        assert_string_equal(reason, "unpacks to more than 250 times its size");
        tw_bytes_free(&packed);
        tw_bytes_free(&out);
    }
    free(zeros);
}

/* ---- failing allocations */

#ifdef TW_FAULTS
static int read_everything(const tw_bytes *archive)
{
    tw_members *members = NULL;
    tw_member found = {.name = ""};
    tw_bytes bytes = {0};
    const char *reason = "";
    int status =
        tw_members_open_bytes("a.zip", archive->data, archive->length, ALL, &members, &reason);
    while (status == TWINSET_OK && found.name) {
        status = tw_members_next(members, &found, &reason);
        if (status == TWINSET_OK && found.name && !found.reason)
            status = tw_members_read(members, ALL, &bytes, &reason);
    }
    assert_true(status == TWINSET_OK || strcmp(reason, "not enough memory to read it") == 0);
    tw_members_close(members);
    tw_bytes_free(&bytes);
    return status;
}

static void reading_survives_the_loss_of_any_allocation(void **state)
{
    (void)state;
    tw_bytes inner = archive_of("pax", "gzip", NULL, two, 2);
    member files[] = {{"a.txt", "first", 0}, {"in.tgz", inner.data, inner.length}};
    tw_bytes archive = archive_of("zip", NULL, NULL, files, 2);
    int status = TWINSET_NOMEM;
    for (long long i = 0; status != TWINSET_OK; i++) {
        assert_true(i < 200);
        tw_faults_after(i);
        status = read_everything(&archive);
        tw_faults_after(-1);
        assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
    }
    tw_bytes_free(&inner);
    tw_bytes_free(&archive);
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(archives_are_recognised_by_name),
        TEST(members_of_every_format_are_listed),
        TEST(members_can_be_skipped),
        TEST(names_are_harmless),
        TEST(folders_are_skipped_and_links_have_a_reason),
        TEST(nested_archives_are_opened_once),
        TEST(a_bad_nested_archive_is_one_member),
        TEST(encrypted_members_have_a_reason),
        TEST(unreadable_archives_have_a_reason),
        TEST(truncated_archives_give_their_first_members),
        TEST(a_zip_is_read_without_its_directory),
        TEST(reading_damaged_archives_ends),
        TEST(a_limit_refuses_a_single_member),
        TEST(bombs_are_bounded),
        TEST(all_members_together_are_bounded),
        TEST(compressed_bytes_are_decompressed),
        TEST(uncompressed_bytes_are_unchanged),
        TEST(compressed_bombs_are_bounded),
#ifdef TW_FAULTS
        TEST(reading_survives_the_loss_of_any_allocation),
#endif
    };
    print_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
