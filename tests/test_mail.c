/*
 * Mail and mail folders: the text is what a reader sees of a message, in any encoding. Truncated,
 * damaged and hostile messages give text or a reason.
 */
#define _XOPEN_SOURCE 700
#include "testing.h"

#include "convert.h"
#include "mbox.h"
#include "memory.h"
#include "scanning.h"

#define HEAD "From: a@example.org\r\nSubject: a secret\r\nMIME-Version: 1.0\r\n"

/* ---- helpers */

static int convert(const char *mail, size_t length, int quotes, tw_converted *to)
{
    const tw_convert_rules rules = {.mail_quotes = quotes};
    *to = (tw_converted){0};
    return tw_convert_mail.convert(&(tw_material){"a.eml", mail, length, 1 << 20, &rules}, to);
}

/* Compares the text of a message with the expected text; NULL: the message is refused. */
static void expect_with(const char *mail, size_t length, int quotes, const char *text)
{
    tw_converted to;
    int status = convert(mail, length, quotes, &to);
    if (status != TWINSET_OK)
        fail_msg("refused: %s", to.reason);
    size_t size = strlen(text);
    if (to.text.length != size || (size > 0 && memcmp(to.text.data, text, size) != 0))
        fail_msg("'%.*s' instead of '%s'", (int)to.text.length, to.text.data, text);
    tw_bytes_free(&to.text);
}

static void expect(const char *mail, const char *text)
{
    expect_with(mail, strlen(mail), TWINSET_QUOTES_KEEP, text);
}

static void expect_refusal(const char *mail, size_t length, const char *reason)
{
    tw_converted to;
    assert_int_equal(convert(mail, length, TWINSET_QUOTES_KEEP, &to), TWINSET_IO);
    assert_string_equal(to.reason, reason);
    tw_bytes_free(&to.text);
}

/* ---- messages of one part */

static void the_body_is_the_text(void **state)
{
    (void)state;
    expect(HEAD "\r\nOne line\r\nand another.\r\n", "One line\nand another.\n");
    expect("Subject: x\n\nNo newline at the end", "No newline at the end\n");
    expect("\xEF\xBB\xBFSubject: x\n\ntext\n", "text\n");
    expect("From someone Sat Jan  3 01:05:34 1996\nSubject: x\n\ntext\n", "text\n");
    expect("Subject: folded\n over\n\tthree lines\n\ntext\n", "text\n");
    expect("Subject: headers alone\n", "");
    expect("no header\n\ntext\n", "no header\n\ntext\n");
    expect("Subject: x\nno header\ntext\n", "no header\ntext\n");
    expect("", "");
}

static void transfer_encodings_are_decoded(void **state)
{
    (void)state;
    expect("Content-Transfer-Encoding: quoted-printable\n\n"
           "caf=C3=A9 with a soft =\nbreak, one =  \r\nmore; 1 = 1, =XY, =3D=\n",
           "caf\xC3\xA9 with a soft break, one more; 1 = 1, =XY, =\n");
    expect("content-transfer-encoding:\n BASE64 (of course)\n\nSGVsbG8s\r\nIHdvcmxkIQ==\n",
           "Hello, world!\n");
    expect("Content-Transfer-Encoding: base64\n\nSGVsbG8=SGVsbG8=\nSGVs bG8", "HelloHelloHello\n");
    expect("Content-Transfer-Encoding: 8bit\n\ncaf\xC3\xA9\n", "caf\xC3\xA9\n");
    expect("Content-Transfer-Encoding: base64\n\n", "");
}

static void charsets_are_decoded(void **state)
{
    (void)state;
    expect("Content-Type: text/plain; format=fixed; charset=ISO-8859-1\n\ncaf\xE9\n",
           "caf\xC3\xA9\n");
    expect("Content-Type: text/plain;\n\tname=\"a;charset=utf-8\";\n\tCharset = \"koi8-r\"\n"
           "Content-Transfer-Encoding: quoted-printable\n\n=CD=C9=D2\n",
           "\xD0\xBC\xD0\xB8\xD1\x80\n");
    expect("Content-Type: text/html; charset=iso-8859-1\n\n"
           "<meta charset=utf-8><p>caf\xE9</p>\n",
           "caf\xC3\xA9\n");
}

/* A guessed encoding is named. */
static void guessed_charsets_are_named(void **state)
{
    static const char *const types[] = {"text/html", "text/plain"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char mail[200];
        tw_converted to;
        int length = snprintf(mail, sizeof mail,
                              "Content-Type: %s; charset=no-such\n\nun caf\xE9 noir\n", types[i]);
        assert_int_equal(convert(mail, (size_t)length, TWINSET_QUOTES_KEEP, &to), TWINSET_OK);
        assert_true(to.flags & TWINSET_FLAG_ENCODING);
        assert_non_null(to.encoding);
        tw_bytes_free(&to.text);
    }
}

static void flowed_lines_are_joined(void **state)
{
    (void)state;
    expect("Content-Type: text/plain; format=flowed\n\n"
           "This is one \nparagraph, \nand\n From here another.\n\n-- \nJane\n",
           "This is one paragraph, and\nFrom here another.\n\n-- \nJane\n");
    expect("Content-Type: text/plain; format=Flowed; delsp=yes\n\nzusam \nmen\n", "zusammen\n");
    expect("Content-Type: text/plain; format=flowed\n\n> a \n> b\n>> c \nd \n",
           "> a b\n>> c \nd \n");
    expect("Content-Type: text/plain\n\nline \nline\n", "line \nline\n");
}

static void quotes_are_left_out_on_demand(void **state)
{
    (void)state;
    static const char mail[] =
        "Subject: Re: x\n\nHello,\n\nOn Monday, Jane wrote:\n\n> one\n>\n> two\n"
        "\nNo.\n>> three\nOn Tuesday, a person of many names\n"
        "<jane@example.org> wrote:\n> four\nwrote:\nno quote\n";
    expect(mail, strchr(mail, 'H'));
    expect_with(LITERAL(mail), TWINSET_QUOTES_DROP, "Hello,\n\n\nNo.\nwrote:\nno quote\n");
    expect_with(LITERAL("Content-Type: text/plain; format=flowed\n\na\n> b \n> c\nd\n"),
                TWINSET_QUOTES_DROP, "a\nd\n");
    expect_with(LITERAL("\n> all of it"), TWINSET_QUOTES_DROP, "");
}

/* ---- messages of several parts */

#define MIXED "Content-Type: multipart/mixed; boundary=\"b 1\"\n\npreamble\n"

static void parts_follow_each_other(void **state)
{
    (void)state;
    expect(MIXED "--b 1\n\none\n--b 1\nContent-Type: text/plain\n\ntwo\n\n--b 1  \n"
                 "Content-Disposition: attachment; filename=a.txt\n\nattached\n--b 1\n"
                 "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\nAAAA\n"
                 "--b 1--\nepilogue\n",
           "one\ntwo\n");
    expect(MIXED "--b 1\r\n\r\none\r\n--b 1\r\n\r\ncut", "one\ncut\n");
    expect(MIXED "--b 1\n\n--b 11\n--b 1x\n--b\n--b 1--", "--b 11\n--b 1x\n--b\n");
    expect("Content-Type: multipart/mixed; boundary=x\n\nno parts\n", "no parts\n");
    expect("Content-Type: multipart/mixed\n\nno boundary\n", "no boundary\n");
    expect("Content-Type: multipart/mixed; boundary=\"\"\n\n--\nx\n", "--\nx\n");
}

static void the_plain_alternative_is_used(void **state)
{
    (void)state;
#define ALTERNATIVE "Content-Type: multipart/alternative; boundary=x\n\n"
#define HTML "--x\nContent-Type: text/html\n\n<p>page</p>\n"
    expect(ALTERNATIVE "--x\nContent-Type: text/plain\n\nplain\n" HTML "--x--\n", "plain\n");
    expect(ALTERNATIVE HTML "--x\n\nplain\n--x--\n", "plain\n");
    expect(ALTERNATIVE "--x\n\n \n\n" HTML "--x--\n", "page\n");
    expect(ALTERNATIVE HTML, "page\n");
    expect(ALTERNATIVE "--x\n\n\n--x\nContent-Type: multipart/related; boundary=y\n\n"
                       "--y\nContent-Type: text/html\n\n<p>nested</p>\n--y--\n--x--\n",
           "nested\n");
    expect(ALTERNATIVE "--x\nContent-Type: image/png\n\nAAAA\n--x--\n", "");
}

static void nested_messages_are_read(void **state)
{
    (void)state;
    expect(MIXED "--b 1\n\nforwarded:\n--b 1\nContent-Type: message/rfc822\n"
                 "Content-Disposition: attachment\n\nSubject: inner\nContent-Transfer-Encoding: "
                 "quoted-printable\n\n=41\n--b 1--\n",
           "forwarded:\nA\n");
    expect("Content-Type: multipart/digest; boundary=x\n\n--x\n\nSubject: 1\n\none\n"
           "--x\n\nSubject: 2\n\ntwo\n--x--\n",
           "one\ntwo\n");
    expect("Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n"
           "U3ViamVjdDogYQoKYmFzZTY0Cg==\n",
           "base64\n");
}

static void encrypted_mail_is_refused(void **state)
{
    (void)state;
    expect_refusal(LITERAL("Content-Type: multipart/encrypted; boundary=x\n\n--x\n"
                           "Content-Type: application/pgp-encrypted\n\nVersion: 1\n--x--\n"),
                   "encrypted");
    expect_refusal(LITERAL("Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n"
                           "Content-Transfer-Encoding: base64\n\nAAAA\n"),
                   "encrypted");
}

/* ---- hostile messages */

static void append(tw_bytes *bytes, const char *text)
{
    assert_int_equal(tw_bytes_append(bytes, text, strlen(text)), TWINSET_OK);
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    tw_bytes mail = {0};
    for (int i = 0; i < 100000; i++)
        append(&mail, "Content-Type: message/rfc822\n\n");
    expect_refusal(mail.data, mail.length, "nested more than 20 deep");
    mail.length = 0;
    for (int i = 0; i < 100000; i++)
        append(&mail, "Content-Type: multipart/mixed; boundary=x\n\n--x\n");
    expect_refusal(mail.data, mail.length, "more than 10000 parts");
    mail.length = 0;
    for (int i = 0; i < 30; i++)
        assert_int_equal(
            tw_bytes_printf(&mail, "Content-Type: multipart/mixed; boundary=%d\n\n--%d\n", i, i),
            TWINSET_OK);
    expect_refusal(mail.data, mail.length, "nested more than 20 deep");
    tw_bytes_free(&mail);
}

static void many_parts_are_refused(void **state)
{
    (void)state;
    tw_bytes mail = {0};
    append(&mail, "Content-Type: multipart/mixed; boundary=x\n\n");
    for (int i = 0; i < 10001; i++)
        append(&mail, "--x\n\na\n");
    expect_refusal(mail.data, mail.length, "more than 10000 parts");
    tw_bytes_free(&mail);
}

static void large_text_is_refused(void **state)
{
    (void)state;
    tw_converted to = {0};
    tw_material from = {"a.eml", LITERAL("\n123456"), 5, NULL};
    assert_int_equal(tw_convert_mail.convert(&from, &to), TWINSET_IO);
    assert_string_equal(to.reason, "too large: more than 5 bytes of text");
    tw_bytes_free(&to.text);
}

/* Long lines and many quotes are read once. */
static void odd_lines_take_linear_time(void **state)
{
    (void)state;
    tw_bytes mail = {0};
    append(&mail, "Subject: x\n\n");
    for (int i = 0; i < 20000; i++)
        append(&mail, "long line with spaces                          ");
    for (int i = 0; i < 20000; i++)
        append(&mail, "\n>\n\n");
    tw_converted to;
    assert_int_equal(convert(mail.data, mail.length, TWINSET_QUOTES_DROP, &to), TWINSET_OK);
    tw_bytes_free(&to.text);
    tw_bytes_free(&mail);
}

static const char WHOLE[] = HEAD
    "Content-Type: multipart/mixed; boundary=\"one\"\r\n\r\n--one\r\n"
    "Content-Type: multipart/alternative; boundary=two\r\n\r\n--two\r\n"
    "Content-Type: text/plain; charset=utf-8; format=flowed\r\n"
    "Content-Transfer-Encoding: quoted-printable\r\n\r\nplain =\r\ntext=20\r\n> b \r\n> c\r\n"
    "--two\r\nContent-Type: text/html\r\n\r\n<p>page</p>\r\n--two--\r\n--one\r\n"
    "Content-Type: message/rfc822\r\n\r\nSubject: x\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    "SGVsbG8=\r\n--one--\r\n";

/* Converts bytes in an allocation of their size, so that tools see overruns. */
static void convert_exactly(const char *bytes, size_t length)
{
    char *copy = malloc(length + 1);
    memcpy(copy, bytes, length);
    copy = realloc(copy, length ? length : 1);
    for (int quotes = 0; quotes < 2; quotes++) {
        tw_converted to;
        int status = convert(copy, length, quotes, &to);
        assert_true(status == TWINSET_OK || (status == TWINSET_IO && to.reason[0]));
        tw_bytes_free(&to.text);
    }
    tw_convert_mail.looks_like(copy, length);
    free(copy);
}

static void truncated_and_damaged_mail_gives_text_or_a_reason(void **state)
{
    (void)state;
    dice from = new_dice();
    for (size_t length = 0; length < sizeof WHOLE; length++)
        convert_exactly(WHOLE, length);
    for (int i = 0; i < 2000; i++) {
        char bytes[sizeof WHOLE];
        memcpy(bytes, WHOLE, sizeof WHOLE);
        for (size_t flips = 1 + below(&from, 5); flips > 0; flips--)
            bytes[below(&from, sizeof WHOLE)] = (char)roll(&from);
        convert_exactly(bytes, sizeof WHOLE);
    }
}

/* ---- recognition */

static bool is_mail(const char *head)
{
    return tw_convert_mail.looks_like(head, strlen(head));
}

static void only_mail_is_recognised_as_mail(void **state)
{
    (void)state;
    assert_false(is_mail(HEAD "\r\ntext"));
    assert_true(is_mail("Received: by z\r\n" HEAD "\r\ntext"));
    assert_true(is_mail("Return-Path: <a@b>\nReceived: from x\n\tby y\nDate: now\nTo: b\n\ntext"));
    assert_true(is_mail("Received: a\nReceived: b\nFrom: c\nTo: cut in the mid"));
    assert_false(is_mail("From: a\nSubject: b\nNntp-Posting-Host: c\nMime-Version: 1.0\n\nnews"));
    assert_false(is_mail("From: a\nSubject: b\nDate: c\n\na note"));
    assert_false(is_mail("Path: x\nFrom: a\nSubject: b\nMIME-Version: 1.0\n\nnews"));
    assert_false(is_mail("From: a\nNewsgroups: b\nSubject: c\nMIME-Version: 1.0\n\nnews"));
    assert_false(is_mail("From: a\nSubject: b\nMIME-Version: 1.0\nand then prose\n"));
    assert_false(is_mail("From a@b Sat Jan  3 01:05:34 1996\nFrom: a\nReceived: b\nTo: c\n"));
    assert_false(is_mail("Package: x\nVersion: 1\nReceived: no\n"));
    assert_false(is_mail(""));
    assert_ptr_equal(tw_converter_for("a.EML", "text", 4), &tw_convert_mail);
}

/* ---- mail folders */

#define FROM "From a@b Sat Jan  3 01:05:34 1996\n"

/* Joins the texts of all messages, each with its name. */
static int read_folder(tw_mbox *mbox, uint64_t limit, tw_bytes *all, const char **reason)
{
    tw_member member;
    int status;
    while ((status = tw_mbox_next(mbox, &member, reason)) == TWINSET_OK && member.name) {
        const char *why;
        assert_int_equal(tw_bytes_printf(all, "[%s]", member.name), TWINSET_OK);
        int status_of_message = tw_mbox_read(mbox, limit, all, &why);
        if (status_of_message != TWINSET_OK)
            assert_int_equal(tw_bytes_printf(all, "(%s)\n", why), TWINSET_OK);
        if (status_of_message == TWINSET_NOMEM)
            return status_of_message;
    }
    return status;
}

static void expect_folder(const char *folder, uint64_t limit, const char *text)
{
    FILE *file = fopen("folder", "wb");
    assert_non_null(file);
    fputs(folder, file);
    fclose(file);
    for (int in_memory = 0; in_memory < 2; in_memory++) {
        tw_mbox *mbox;
        const char *reason = NULL;
        tw_bytes all = {0};
        assert_int_equal(tw_mbox_open(in_memory ? NULL : "folder", in_memory ? folder : NULL,
                                      in_memory ? strlen(folder) : 0, 1 << 20, &mbox, &reason),
                         TWINSET_OK);
        assert_int_equal(read_folder(mbox, limit, &all, &reason), TWINSET_OK);
        assert_int_equal(all.length, strlen(text));
        assert_memory_equal(all.data, text, all.length);
        tw_bytes_free(&all);
        tw_mbox_close(mbox);
    }
}

static void messages_of_a_folder_are_separated(void **state)
{
    (void)state;
    expect_folder(FROM "Subject: a\n\none\n\n" FROM "Subject: b\n\ntwo\n", 100,
                  "[1.eml]Subject: a\n\none\n\n[2.eml]Subject: b\n\ntwo\n");
    expect_folder("\r\nFrom - Sat Jan  3 01:05:34 1996\r\na: b\r\n\r\none\r\n\r\n"
                  "From x 1:00:00\r\n\r\ntwo",
                  100, "[1.eml]a: b\r\n\r\none\r\n\r\n[2.eml]\r\ntwo");
    expect_folder(FROM "\n>From me\n>>From you\n>Fro\n>\n\nFrom now on\nFrom 1:00 on\n", 100,
                  "[1.eml]\nFrom me\n>From you\n>Fro\n>\n\nFrom now on\nFrom 1:00 on\n");
    expect_folder(FROM, 100, "[1.eml]");
    expect_folder(FROM "\n" FROM "\n" FROM "cut", 100, "[1.eml]\n[2.eml]\n[3.eml]cut");
    expect_folder(FROM "too long\n\n" FROM "short\n", 8,
                  "[1.eml](too large for one message)\n[2.eml]short\n");
}

static void files_that_are_no_folder_are_refused(void **state)
{
    (void)state;
    static const char *const none[] = {
        "", "\n\n", "text", "From", "From here\nto there 10:00\n", "text\n\n" FROM};
    for (size_t i = 0; i < COUNT(none); i++) {
        tw_mbox *mbox;
        const char *reason = NULL;
        assert_int_equal(tw_mbox_open(NULL, none[i], strlen(none[i]), 1000, &mbox, &reason),
                         TWINSET_IO);
        assert_string_equal(reason, "no mail folder");
        assert_null(mbox);
    }
    tw_mbox *mbox;
    const char *reason = NULL;
    assert_int_equal(tw_mbox_open("no-such-file", NULL, 0, 1000, &mbox, &reason), TWINSET_IO);
    assert_string_equal(reason, "No such file or directory");
}

static void append_long(tw_bytes *bytes, size_t length)
{
    assert_int_equal(tw_bytes_reserve(bytes, length), TWINSET_OK);
    memset(bytes->data + bytes->length, 'x', length);
    bytes->length += length;
}

static void add_message(dice *from, size_t number, tw_bytes *folder, tw_bytes *expected)
{
    static const char *const lines[] = {"\n", "text\n", ">From x\n", "From x\n", "\r\n", ">>\n"};
    static const char *const read[] = {"\n", "text\n", "From x\n", "From x\n", "\r\n", ">>\n"};
    append(folder, FROM);
    assert_int_equal(tw_bytes_printf(expected, "[%zu.eml]", number), TWINSET_OK);
    for (size_t count = below(from, 40); count > 0; count--) {
        size_t i = below(from, COUNT(lines)), length = chance(from, 1) ? below(from, 400000) : 0;
        append_long(folder, length);
        append_long(expected, length);
        append(folder, lines[i]);
        append(expected, lines[i][0] == '>' && expected->data[expected->length - 1] == 'x'
                             ? lines[i]
                             : read[i]);
    }
    append(folder, "\n\n");
    append(expected, "\n\n");
}

static void folders_of_any_length_are_read(void **state)
{
    (void)state;
    dice from = new_dice();
    for (int round = 0; round < 3; round++) {
        tw_bytes folder = {0}, expected = {0}, all = {0};
        for (size_t i = 1; i <= 100; i++)
            add_message(&from, i, &folder, &expected);
        tw_mbox *mbox;
        const char *reason;
        assert_int_equal(
            tw_mbox_open(NULL, folder.data, folder.length, folder.length, &mbox, &reason),
            TWINSET_OK);
        assert_int_equal(read_folder(mbox, SIZE_MAX, &all, &reason), TWINSET_OK);
        assert_int_equal(all.length, expected.length);
        assert_memory_equal(all.data, expected.data, all.length);
        tw_mbox_close(mbox);
        tw_bytes_free(&folder);
        tw_bytes_free(&expected);
        tw_bytes_free(&all);
    }
}

/* Messages may be skipped; the size of all together is limited. */
static void all_messages_together_are_bounded(void **state)
{
    (void)state;
    tw_bytes folder = {0};
    for (int i = 0; i < 20000; i++)
        append(&folder, FROM "text\n\n");
    tw_mbox *mbox;
    tw_member member;
    const char *reason = NULL;
    assert_int_equal(tw_mbox_open(NULL, folder.data, folder.length, 600000, &mbox, &reason),
                     TWINSET_OK);
    int status, count = 0;
    while ((status = tw_mbox_next(mbox, &member, &reason)) == TWINSET_OK && member.name)
        count++;
    assert_int_equal(status, TWINSET_IO);
    assert_string_equal(reason, "too large: more than 600,000 bytes in all");
    assert_in_range(count, 1, 20000);
    assert_int_equal(tw_mbox_next(mbox, &member, &reason), TWINSET_IO);
    tw_mbox_close(mbox);
    assert_int_equal(tw_mbox_open(NULL, folder.data, folder.length, 1, &mbox, &reason), TWINSET_IO);
    assert_string_equal(reason, "too large");
    tw_bytes_free(&folder);
}

/* ---- failing allocations */

#ifdef TW_FAULTS
static void the_failure_of_any_allocation_is_reported(void **state)
{
    (void)state;
    int status = TWINSET_NOMEM;
    for (long long i = 0; status != TWINSET_OK; i++) {
        tw_converted to;
        tw_faults_after(i);
        status = convert(WHOLE, sizeof WHOLE - 1, TWINSET_QUOTES_DROP, &to);
        tw_faults_after(-1);
        assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
        tw_bytes_free(&to.text);
        assert_true(i < 1000);
    }
    for (long long i = 0; i < 10; i++) {
        tw_mbox *mbox;
        tw_bytes all = {0};
        const char *reason = NULL;
        tw_faults_after(i);
        status = tw_mbox_open(NULL, FROM "a\n", sizeof FROM + 1, 100, &mbox, &reason);
        tw_member member;
        if (status == TWINSET_OK)
            status = tw_mbox_next(mbox, &member, &reason);
        if (status == TWINSET_OK)
            status = tw_mbox_read(mbox, 100, &all, &reason);
        tw_faults_after(-1);
        assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
        if (status == TWINSET_NOMEM)
            assert_string_equal(reason, "not enough memory to read it");
        tw_bytes_free(&all);
        tw_mbox_close(mbox);
    }
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_body_is_the_text),
        TEST(transfer_encodings_are_decoded),
        TEST(charsets_are_decoded),
        TEST(guessed_charsets_are_named),
        TEST(flowed_lines_are_joined),
        TEST(quotes_are_left_out_on_demand),
        TEST(parts_follow_each_other),
        TEST(the_plain_alternative_is_used),
        TEST(nested_messages_are_read),
        TEST(encrypted_mail_is_refused),
        TEST(deep_nesting_is_refused),
        TEST(many_parts_are_refused),
        TEST(large_text_is_refused),
        TEST(odd_lines_take_linear_time),
        TEST(truncated_and_damaged_mail_gives_text_or_a_reason),
        TEST(only_mail_is_recognised_as_mail),
        TEST(messages_of_a_folder_are_separated),
        TEST(files_that_are_no_folder_are_refused),
        TEST(folders_of_any_length_are_read),
        TEST(all_messages_together_are_bounded),
#ifdef TW_FAULTS
        TEST(the_failure_of_any_allocation_is_reported),
#endif
    };
    print_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
