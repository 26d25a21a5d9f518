/*
 * Word and OpenDocument texts, and books: the text is what a reader sees, hidden text is flagged,
 * and damaged files have a reason.
 */
#define _XOPEN_SOURCE 700
#include "testing.h"

#include <pthread.h>
#include <sys/wait.h>

#include "archiving.h"
#include "convert.h"
#include "dice.h"
#include "input.h"
#include "memory.h"

#define W "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
#define DOCX(body) XML "<w:document xmlns:w=\"" W "\"><w:body>" body "</w:body></w:document>"
#define P(runs) "<w:p>" runs "</w:p>"
#define R(text) "<w:r><w:t>" text "</w:t></w:r>"
#define STYLED(properties, text) "<w:r><w:rPr>" properties "</w:rPr><w:t>" text "</w:t></w:r>"

#define ODF "urn:oasis:names:tc:opendocument:xmlns:"
#define ODT_ROOT                                                                                   \
    "xmlns:office=\"" ODF "office:1.0\" xmlns:text=\"" ODF "text:1.0\" xmlns:style=\"" ODF         \
    "style:1.0\" xmlns:fo=\"" ODF "xsl-fo-compatible:1.0\" xmlns:draw=\"" ODF                      \
    "drawing:1.0\" xmlns:table=\"" ODF "table:1.0\""
#define ODT(styles, body)                                                                          \
    XML "<office:document-content " ODT_ROOT "><office:automatic-styles>" styles                   \
        "</office:automatic-styles><office:body><office:text>" body                                \
        "</office:text></office:body></office:document-content>"

#define LIMIT ((uint64_t)1 << 30)

/* ---- converting */

static int convert_limited(const tw_converter *by, const char *bytes, size_t length, uint64_t limit,
                           tw_converted *to)
{
    static const tw_convert_rules rules = {0};
    /* The copy ends where its allocation ends, so that tools see overruns. */
    char *copy = malloc(length + 1);
    memcpy(copy, length ? bytes : "", length);
    tw_material from = {"name", copy, length, limit, &rules};
    *to = (tw_converted){0};
    int status = by->convert(&from, to);
    assert_true(status != TWINSET_IO || to->reason[0]);
    free(copy);
    return status;
}

static int convert(const tw_converter *by, const tw_bytes *file, tw_converted *to)
{
    return convert_limited(by, file->data, file->length, LIMIT, to);
}

static tw_bytes docx_of(const char *document)
{
    member part = {"word/document.xml", document, 0};
    return archive_of("zip", NULL, NULL, &part, 1);
}

static tw_bytes odt_of(const char *content)
{
    member parts[] = {{"mimetype", "application/vnd.oasis.opendocument.text", 0},
                      {"content.xml", content, 0}};
    return archive_of("zip", NULL, "zip:compression=store", parts, 2);
}

static void assert_text(const tw_converter *by, tw_bytes file, unsigned flags, const char *expected)
{
    tw_converted to;
    int status = convert(by, &file, &to);
    if (status != TWINSET_OK)
        fail_msg("%s", to.reason);
    assert_int_equal(tw_bytes_append(&to.text, "", 1), 0);
    assert_string_equal(to.text.data, expected);
    assert_int_equal(to.flags, flags);
    tw_bytes_free(&to.text);
    tw_bytes_free(&file);
}

static void assert_refused(const tw_converter *by, tw_bytes file, const char *reason)
{
    tw_converted to;
    assert_int_equal(convert(by, &file, &to), TWINSET_IO);
    assert_string_equal(to.reason, reason);
    assert_int_equal(to.text.length, 0);
    tw_bytes_free(&to.text);
    tw_bytes_free(&file);
}

#define DOCX_IS(body, expected) assert_text(&tw_convert_docx, docx_of(DOCX(body)), 0, expected)
#define DOCX_HIDES(body, expected)                                                                 \
    assert_text(&tw_convert_docx, docx_of(DOCX(body)), TWINSET_FLAG_HIDDEN_TEXT, expected)
#define ODT_IS(styles, body, expected)                                                             \
    assert_text(&tw_convert_odt, odt_of(ODT(styles, body)), 0, expected)
#define ODT_HIDES(styles, body, expected)                                                          \
    assert_text(&tw_convert_odt, odt_of(ODT(styles, body)), TWINSET_FLAG_HIDDEN_TEXT, expected)

/* ---- Word */

static void paragraphs_are_lines(void **state)
{
    (void)state;
    DOCX_IS(P(R("One ") R("tw") R("o &amp; three")) P("") P(R("four")), "One two & three\nfour\n");
    DOCX_IS(P(R("a") "<w:r><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/>"
                     "<w:softHyphen/><w:t>d</w:t></w:r>"),
            "a\tb\nc\xE2\x80\x91"
            "d\n");
    DOCX_IS(P("<w:pPr><w:tabs><w:tab w:val=\"left\"/></w:tabs></w:pPr>" R("x")), "x\n");
    DOCX_IS(P("<w:hyperlink>" R("link") "</w:hyperlink><w:ins>" R("ed") "</w:ins>"), "linked\n");
}

static void cells_are_lines(void **state)
{
    (void)state;
    DOCX_IS("<w:tbl><w:tr><w:tc>" P(R("a")) "</w:tc><w:tc>" P(R("b")) "</w:tc></w:tr></w:tbl>",
            "a\nb\n");
}

static void deleted_text_is_left_out(void **state)
{
    (void)state;
    DOCX_IS(P(R("kept") "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:moveFrom>" R(
                "moved") "</w:moveFrom>"),
            "kept\n");
    DOCX_IS(P("<w:r><w:instrText>PAGE</w:instrText></w:r>" R("1")), "1\n");
    DOCX_IS(P("<w:ruby><w:rt>" R("kan") "</w:rt><w:rubyBase>" R("K") "</w:rubyBase></w:ruby>"),
            "K\n");
}

static void text_boxes_are_read_once_after_their_paragraph(void **state)
{
    (void)state;
    DOCX_IS(P(R("Be") "<w:r><mc:AlternateContent xmlns:mc=\"m\"><mc:Choice><w:txbxContent>" P(
                R("box")) "</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>" P(R("box")) //
              "</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r>" R("fore")),
            "Before\nbox\n");
}

static void notes_follow_in_order(void **state)
{
    (void)state;
    member parts[] = {
        {"word/endnotes.xml", "<e xmlns:w=\"w\">" P(R("end")) "</e>", 0},
        {"word/footnotes.xml", "<e xmlns:w=\"w\">" P(R("foot")) "</e>", 0},
        {"word/document2.xml", DOCX(P(R("body"))), 0},
        {"word/header1.xml", "not even XML", 0},
    };
    assert_text(&tw_convert_docx, archive_of("zip", NULL, NULL, parts, 4), 0, "body\nfoot\nend\n");
}

static void hidden_runs_are_flagged(void **state)
{
    (void)state;
    DOCX_HIDES(P(R("a") STYLED("<w:vanish/>", "secret") R("b")), "ab\n");
    DOCX_IS(P(R("a") STYLED("<w:vanish/>", " ") R("b")), "ab\n");
    DOCX_IS(P(R("a") STYLED("<w:vanish w:val=\"0\"/>", "seen")), "aseen\n");
    DOCX_IS(P("<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>" R("seen")), "seen\n");
    DOCX_IS(P(STYLED("<w:rPrChange><w:vanish/></w:rPrChange>", "seen")), "seen\n");
}

static void white_runs_are_flagged(void **state)
{
    (void)state;
#define WHITE "<w:color w:val=\"FFFFFF\"/>"
    DOCX_HIDES(P(STYLED(WHITE, "secret") R("seen")), "seen\n");
    DOCX_HIDES(P(STYLED(WHITE "<w:shd w:fill=\"auto\"/>", "secret") R("seen")), "seen\n");
    DOCX_IS(P(STYLED(WHITE "<w:shd w:fill=\"000000\"/>", "seen")), "seen\n");
    DOCX_IS(P(STYLED(WHITE "<w:highlight w:val=\"black\"/>", "seen")), "seen\n");
    DOCX_IS(P("<w:pPr><w:shd w:fill=\"000080\"/></w:pPr>" STYLED(WHITE, "seen")), "seen\n");
    DOCX_IS("<w:tbl><w:tr><w:tc>" P(STYLED(WHITE, "seen")) "</w:tc></w:tr></w:tbl>", "seen\n");
    DOCX_HIDES("<w:tbl/>" P(STYLED(WHITE, "secret")), "");
}

/* ---- OpenDocument */

static void open_documents_are_read(void **state)
{
    (void)state;
    ODT_IS("",
           "<text:h>Head</text:h><text:p>One<text:s text:c=\"3\"/>tw<text:span>o</text:span>"
           "<text:s/><text:tab/>x<text:line-break/>y</text:p><text:list><text:list-item><text:p>i"
           "</text:p></text:list-item></text:list>",
           "Head\nOne   two \tx\ny\ni\n");
    ODT_IS("", "<text:p>a<text:s text:c=\"99999999999999999999\"/></text:p>",
           "a                                                                \n");
    ODT_IS("",
           "<table:table><table:table-row><table:table-cell><text:p>a</text:p>"
           "</table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell>"
           "</table:table-row></table:table>",
           "a\nb\n");
}

static void notes_and_frames_follow_their_paragraph(void **state)
{
    (void)state;
    ODT_IS("",
           "<text:p>Be<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>"
           "note</text:p></text:note-body></text:note>fo<draw:frame><draw:text-box><text:p>box"
           "</text:p></draw:text-box></draw:frame>re</text:p>",
           "Before\nnote\nbox\n");
}

static void deletions_and_comments_are_left_out(void **state)
{
    (void)state;
    ODT_IS("",
           "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p>"
           "</text:deletion></text:changed-region></text:tracked-changes><text:p>ke"
           "<office:annotation><text:p>comment</text:p></office:annotation>pt</text:p>",
           "kept\n");
}

#define STYLE(name, properties)                                                                    \
    "<style:style style:name=\"" name "\"><style:text-properties " properties "/></style:style>"

static void hidden_styles_are_flagged(void **state)
{
    (void)state;
    ODT_HIDES(STYLE("T1", "text:display=\"none\"") STYLE("T2", "fo:color=\"#000000\""),
              "<text:p>a<text:span text:style-name=\"T1\">se<text:span>cr</text:span>et</text:span>"
              "<text:span text:style-name=\"T2\">b</text:span></text:p>",
              "ab\n");
    ODT_HIDES(STYLE("P1", "fo:color=\"#ffffff\""),
              "<text:p text:style-name=\"P1\">secret</text:p><text:p>seen</text:p>", "seen\n");
    ODT_IS(STYLE("P1", "fo:color=\"#ffffff\" fo:background-color=\"#000000\""),
           "<text:p text:style-name=\"P1\">seen</text:p>", "seen\n");
    ODT_IS(STYLE("P1", "fo:color=\"#ffffff\""),
           "<table:table><text:p text:style-name=\"P1\">seen</text:p></table:table>", "seen\n");
    ODT_HIDES("", "<text:section text:display=\"none\"><text:p>secret</text:p></text:section>", "");
}

static void flat_documents_are_read(void **state)
{
    (void)state;
    static const char flat[] =
        XML "<office:document " ODT_ROOT "><office:master-styles><text:p>header</text:p>"
            "</office:master-styles><office:body><office:text><text:p>body<draw:image>"
            "<office:binary-data>QUJD</office:binary-data></draw:image></text:p></office:text>"
            "</office:body></office:document>";
    tw_bytes file = {0};
    assert_int_equal(tw_bytes_append(&file, LITERAL(flat)), 0);
    assert_text(&tw_convert_odt, file, 0, "body\n");
}

static void open_documents_are_recognised(void **state)
{
    (void)state;
    tw_bytes odt = odt_of(ODT("", "")), docx = docx_of(DOCX(""));
    assert_true(tw_converter_for("unknown", odt.data, odt.length) == &tw_convert_odt);
    assert_false(tw_convert_odt.looks_like(docx.data, docx.length));
    for (size_t length = 0; length < 60; length++)
        assert_false(tw_convert_odt.looks_like(odt.data, length));
    assert_true(tw_converter_for("a.DOCM", "", 0) == &tw_convert_docx);
    assert_true(tw_converter_for("a.fodt", "", 0) == &tw_convert_odt);
    tw_bytes_free(&odt);
    tw_bytes_free(&docx);
}

/* ---- unreadable documents */

static tw_bytes bytes_of(const char *text, size_t length)
{
    tw_bytes bytes = {0};
    assert_int_equal(tw_bytes_append(&bytes, text, length), 0);
    return bytes;
}

/* ---- books */

#define CONTAINER(path)                                                                            \
    XML "<container xmlns=\"urn:oasis:names:tc:opendocument:xmlns:container\"><rootfiles>"         \
        "<rootfile full-path=\"" path "\"/></rootfiles></container>"
#define PACKAGE(items, spine)                                                                      \
    XML "<package xmlns=\"http://www.idpf.org/2007/opf\"><metadata/><manifest>" items              \
        "</manifest><spine>" spine "</spine></package>"
#define ITEM(id, path)                                                                             \
    "<item id=\"" id "\" href=\"" path "\" media-type=\"application/xhtml+xml\"/>"
#define REFERENCE(id) "<itemref idref=\"" id "\"/>"
#define PAGE(text)                                                                                 \
    XML "<!DOCTYPE html><html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>no</title>"      \
        "</head><body><p>" text "</p></body></html>"
#define ENCRYPTION(path)                                                                           \
    XML "<encryption><EncryptedData><CipherData><CipherReference URI=\"" path                      \
        "\"/></CipherData></EncryptedData></encryption>"

static const member BOOK[] = {
    {"mimetype", "application/epub+zip", 0},
    {"OEBPS/text/two.xhtml", PAGE("Second."), 0},
    {"OEBPS/content.opf",
     PACKAGE(ITEM("b", "text/two.xhtml") ITEM("a", "text/../o%6ee%20.xhtml#start")
                 ITEM("again", "./text/two.xhtml")
                     ITEM("unused", "unused.xhtml") "<item id=\"toc\" "
                                                    "href=\"toc.xhtml\" properties=\"scripted "
                                                    "nav\"/><item id=\"cover\" "
                                                    "href=\"cover.png\" media-type=\"image/png\"/>",
             REFERENCE("cover") REFERENCE("toc") REFERENCE("a") REFERENCE("b") REFERENCE("again")
                 REFERENCE("nowhere")),
     0},
    {"OEBPS/toc.xhtml", PAGE("Contents"), 0},
    {"OEBPS/unused.xhtml", PAGE("Unused"), 0},
    {"OEBPS/one .xhtml", PAGE("First &amp; foremost."), 0},
    {"META-INF/container.xml", CONTAINER("OEBPS/content.opf"), 0},
    {"META-INF/encryption.xml", ENCRYPTION("OEBPS/font.otf"), 0},
};

static tw_bytes book_of(const member *members, size_t count)
{
    return archive_of("zip", NULL, "zip:compression=store", members, count);
}

/* The order is that of the spine, not that of the zip; fonts may be scrambled. */
static void books_are_read_in_their_order(void **state)
{
    (void)state;
    tw_bytes book = book_of(BOOK, COUNT(BOOK));
    assert_true(tw_converter_for("unknown", book.data, book.length) == &tw_convert_epub);
    assert_true(tw_converter_for("a.EPUB", "", 0) == &tw_convert_epub);
    assert_true(tw_converter_for("unknown", book.data, 40) == NULL);
    assert_text(&tw_convert_epub, book, 0, "First & foremost.\nSecond.\n");
}

static void broken_books_have_a_reason(void **state)
{
    (void)state;
    member members[COUNT(BOOK)];
    memcpy(members, BOOK, sizeof BOOK);
    assert_refused(&tw_convert_epub, book_of(BOOK, 6),
                   "damaged: there is no META-INF/container.xml in it");
    members[7].bytes = ENCRYPTION("OEBPS/text/two.xhtml");
    assert_refused(&tw_convert_epub, book_of(members, COUNT(BOOK)), "encrypted");
    members[1].name = "OEBPS/other.xhtml";
    assert_refused(&tw_convert_epub, book_of(members, COUNT(BOOK)),
                   "damaged: there is no OEBPS/text/two.xhtml in it");
    members[6].bytes = CONTAINER("nowhere.opf");
    assert_refused(&tw_convert_epub, book_of(members, COUNT(BOOK)),
                   "damaged: there is no nowhere.opf in it");
    members[6].bytes = XML "<container/>";
    assert_refused(&tw_convert_epub, book_of(members, COUNT(BOOK)), "damaged: it names no package");
    members[6].bytes = CONTAINER("../../OEBPS/./content.opf");
    memcpy(&members[1], &BOOK[1], sizeof *members);
    assert_text(&tw_convert_epub, book_of(members, 7), 0, "First & foremost.\nSecond.\n");
}

static void the_pages_of_a_book_are_limited_together(void **state)
{
    (void)state;
    tw_bytes book = book_of(BOOK, COUNT(BOOK));
    tw_converted to;
    for (size_t limit = 0; limit < 24; limit++) {
        assert_int_equal(convert_limited(&tw_convert_epub, book.data, book.length, limit, &to),
                         TWINSET_IO);
        assert_int_equal(strncmp(to.reason, "too large: more than ", 21), 0);
        tw_bytes_free(&to.text);
    }
    tw_bytes_free(&book);
}

static void encrypted_documents_have_a_reason(void **state)
{
    (void)state;
    assert_refused(&tw_convert_docx,
                   bytes_of(LITERAL("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1...E\0n\0c\0r\0y\0p\0t\0e\0d\0"
                                    "P\0a\0c\0k\0a\0g\0e\0...")),
                   "encrypted");
    assert_refused(&tw_convert_docx, bytes_of(LITERAL("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 and more")),
                   "a file of Word 97 to 2003: save it as .docx");
    member parts[] = {{"mimetype", "application/vnd.oasis.opendocument.text", 0},
                      {"content.xml", "\x8F\x13\x77", 0},
                      {"META-INF/manifest.xml", "<m><manifest:encryption-data/></m>", 0}};
    assert_refused(&tw_convert_odt, archive_of("zip", NULL, NULL, parts, 3), "encrypted");
    member document = {"word/document.xml", DOCX(""), 0};
    assert_refused(&tw_convert_docx,
                   archive_of("zip", NULL, "zip:encryption=zipcrypt", &document, 1), "encrypted");
}

static void the_content_of_a_doc_decides_its_converter(void **state)
{
    (void)state;
    static const char page[] = "<html><body>text", rtf[] = "{\\rtf1 text}";
    assert_text(&tw_convert_doc, docx_of(DOCX(P(R("text")))), 0, "text\n");
    assert_text(&tw_convert_doc, bytes_of(LITERAL("PKs and text\n")), 0, "PKs and text\n");
    assert_text(&tw_convert_doc, bytes_of(LITERAL("caf\xE9 noir")), TWINSET_FLAG_ENCODING,
                "caf\xC3\xA9 noir");
    assert_text(&tw_convert_doc, bytes_of(LITERAL("\xFF\xFEt\0e\0x\0t\0")), 0, "text");
    assert_refused(&tw_convert_doc,
                   bytes_of(LITERAL("\x7F"
                                    "ELF\0\0\1")),
                   "binary file");
    assert_refused(&tw_convert_doc, bytes_of(LITERAL("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0\0")),
                   "a file of Word 97 to 2003: save it as .docx");
    tw_converted to;
    assert_int_equal(convert_limited(&tw_convert_doc, LITERAL("text"), 3, &to), TWINSET_IO);
    assert_string_equal(to.reason, "too large: more than 3 bytes of text");
    tw_bytes_free(&to.text);
    assert_true(tw_converter_for("a.DOC", LITERAL("text")) == &tw_convert_doc);
    assert_true(tw_converter_for("a.doc", LITERAL(page)) == &tw_convert_html);
    assert_true(tw_converter_for("a.doc", LITERAL(rtf)) == &tw_convert_rtf);
}

static void broken_documents_have_a_reason(void **state)
{
    (void)state;
    assert_refused(&tw_convert_docx, bytes_of(LITERAL("")), "not an archive");
    assert_refused(&tw_convert_docx, bytes_of(LITERAL("text")), "not an archive");
    assert_refused(&tw_convert_odt, bytes_of(LITERAL("text")), "damaged: it is no XML, or cut off");
    member other = {"xl/workbook.xml", "<x/>", 0};
    assert_refused(&tw_convert_docx, archive_of("zip", NULL, NULL, &other, 1),
                   "damaged: there is no word/document*.xml in it");
    assert_refused(&tw_convert_docx, docx_of(XML "<w:document><w:p>"),
                   "damaged: word/document.xml is no XML, or cut off");
    assert_refused(&tw_convert_docx, docx_of(""),
                   "damaged: word/document.xml is no XML, or cut off");
}

static void entities_are_not_expanded(void **state)
{
    (void)state;
    static const char laughs[] = XML "<!DOCTYPE d [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\">"
                                     "<!ENTITY c SYSTEM \"file:///etc/passwd\">]>"
                                     "<d xmlns:w=\"w\">" P(R("&b;&c;")) "</d>";
    assert_refused(&tw_convert_docx, docx_of(laughs), "declares a document type of its own");
    assert_refused(&tw_convert_odt, bytes_of(LITERAL(laughs)),
                   "declares a document type of its own");
    assert_refused(&tw_convert_docx, docx_of(DOCX(P(R("&undeclared;")))),
                   "damaged: word/document.xml is no XML, or cut off");
}

static char *repeated(const char *before, const char *unit, size_t count, const char *after)
{
    size_t length = strlen(unit);
    char *text = malloc(strlen(before) + count * length + strlen(after) + 1), *end = text;
    end += sprintf(end, "%s", before);
    for (size_t i = 0; i < count; i++, end += length)
        memcpy(end, unit, length);
    strcpy(end, after);
    return text;
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    char *deep = repeated(XML "<w:document xmlns:w=\"w\">", "<w:p>", 100000, "");
    assert_refused(&tw_convert_docx, docx_of(deep),
                   "damaged: word/document.xml is nested too deeply");
    free(deep);
}

static void many_attributes_are_refused(void **state)
{
    (void)state;
    static char element[4000000];
    for (int way = 0; way < 2; way++) {
        size_t length = (size_t)sprintf(element, "<w:document xmlns:w=\"w\"");
        for (int i = 0; i < 200000; i++)
            length += (size_t)sprintf(element + length, way ? " a%d=''" : " xmlns:a%d='a'", i);
        sprintf(element + length, "/>");
        assert_refused(&tw_convert_docx, docx_of(element),
                       "damaged: an element of too many attributes");
    }
}

static void a_long_attribute_is_read(void **state)
{
    (void)state;
    char *start = repeated("<w:document xmlns:w=\"w\"><w:p a=\"", "QUJD", 250000,
                           "\">" R("x") "</w:p></w:document>");
    assert_text(&tw_convert_docx, docx_of(start), 0, "x\n");
    free(start);
}

static void many_names_have_a_reason_of_their_own(void **state)
{
    (void)state;
    char *names = malloc(12000000), *at = names;
    at += sprintf(at, "<d>");
    for (unsigned i = 0; i < 200000; i++)
        at += sprintf(at, "<a%u%u%u%u%u%u/>", i, i * 7, i * 11, i * 13, i * 17, i * 19);
    strcpy(at, "</d>");
    tw_bytes file = docx_of(names);
    tw_converted to;
    int status = convert(&tw_convert_docx, &file, &to);
    assert_true(status == TWINSET_OK || status == TWINSET_IO);
    tw_bytes_free(&to.text);
    tw_bytes_free(&file);
    free(names);
}

static void much_text_is_refused(void **state)
{
    (void)state;
    tw_bytes file = docx_of(DOCX(P(R("twelve bytes"))));
    tw_converted to;
    assert_int_equal(convert_limited(&tw_convert_docx, file.data, file.length, 13, &to), 0);
    tw_bytes_free(&to.text);
    assert_int_equal(convert_limited(&tw_convert_docx, file.data, file.length, 12, &to),
                     TWINSET_IO);
    assert_string_equal(to.reason, "too large: more than 12 bytes of text");
    tw_bytes_free(&file);
}

static void truncated_and_damaged_documents_give_text_or_a_reason(void **state)
{
    (void)state;
    dice from = new_dice();
    tw_bytes files[] = {docx_of(DOCX(P(R("One")) P(R("two")))),
                        odt_of(ODT(STYLE("T1", "text:display=\"none\""), "<text:p>One</text:p>")),
                        bytes_of(LITERAL(ODT("", "<text:p>One</text:p>"))),
                        book_of(BOOK, COUNT(BOOK))};
    for (size_t i = 0; i < COUNT(files); i++) {
        const tw_converter *by = i == 0   ? &tw_convert_docx
                                 : i == 3 ? &tw_convert_epub
                                          : &tw_convert_odt;
        tw_converted to;
        for (size_t length = 0; length < files[i].length; length++) {
            tw_bytes cut = {.data = files[i].data, .length = length};
            int status = convert(by, &cut, &to);
            assert_true(status == TWINSET_OK || status == TWINSET_IO);
            tw_bytes_free(&to.text);
        }
        for (int round = 0; round < 1000; round++) {
            tw_bytes copy = bytes_of(files[i].data, files[i].length);
            for (size_t flips = 1 + below(&from, 3); flips > 0; flips--)
                copy.data[below(&from, copy.length)] ^= (char)(1 << below(&from, 8));
            int status = convert(by, &copy, &to);
            assert_true(status == TWINSET_OK || status == TWINSET_IO);
            tw_bytes_free(&to.text);
            tw_bytes_free(&copy);
        }
        tw_bytes_free(&files[i]);
    }
}

/* ---- failing allocations */

#ifdef TW_FAULTS
static void converting_survives_the_loss_of_any_allocation(void **state)
{
    (void)state;
    tw_bytes files[] = {docx_of(DOCX(P(R("One")) "<w:txbxContent>" P(R("box")) "</w:txbxContent>")),
                        odt_of(ODT("", "<text:p>One</text:p>")), book_of(BOOK, COUNT(BOOK))};
    static const tw_converter *const by[] = {&tw_convert_docx, &tw_convert_odt, &tw_convert_epub};
    for (size_t i = 0; i < COUNT(files); i++) {
        int status = TWINSET_NOMEM;
        for (long long count = 0; status != TWINSET_OK; count++) {
            tw_converted to;
            assert_true(count < 300);
            tw_faults_after(count);
            status = convert(by[i], &files[i], &to);
            tw_faults_after(-1);
            assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
            tw_bytes_free(&to.text);
        }
        tw_bytes_free(&files[i]);
    }
}
#endif

/* ---- threads */

/* Runs a check in a new process, in which no library was used yet. */
static void assert_in_new_process(bool (*check)(void))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(check() ? 0 : 1);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int xmlPopInputCallbacks(void); /* as libxml/xmlIO.h declares it */

/* Before it is initialised, libxml2 has no callbacks to remove. */
static bool a_reader_starts_libxml2(void)
{
    bool before = xmlPopInputCallbacks() >= 0;
    tw_reader *reader = tw_reader_new(NULL);
    bool after = xmlPopInputCallbacks() >= 0;
    tw_reader_free(reader);
    return !before && after;
}

static tw_bytes shared_file;
static pthread_barrier_t all_ready;

static void *read_first_document(void *unused)
{
    const char *text, *reason = "none";
    size_t length = 0;
    (void)unused;
    tw_reader *reader = tw_reader_new(NULL);
    pthread_barrier_wait(&all_ready);
    int status = tw_read_bytes(reader, "a.odt", shared_file.data, shared_file.length, LIMIT, &text,
                               &length, &reason);
    bool good = status == TWINSET_OK && length == 5 && memcmp(text, "text\n", 5) == 0;
    tw_reader_free(reader);
    return good ? &shared_file : NULL;
}

static bool threads_read_their_first_documents(void)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    bool good = pthread_barrier_init(&all_ready, NULL, THREADS) == 0;
    for (int i = 0; i < THREADS; i++)
        good = pthread_create(&threads[i], NULL, read_first_document, NULL) == 0 && good;
    for (int i = 0; i < THREADS && good; i++) {
        void *result;
        good = pthread_join(threads[i], &result) == 0 && result;
    }
    return good;
}

/* This test is first, because children inherit initialised libraries of this process. */
static void libraries_start_before_threads(void **state)
{
    (void)state;
    assert_in_new_process(a_reader_starts_libxml2);
    shared_file = odt_of(ODT("", "<text:p>text</text:p>"));
    for (int i = 0; i < 20; i++)
        assert_in_new_process(threads_read_their_first_documents);
    tw_bytes_free(&shared_file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_start_before_threads),
        cmocka_unit_test(paragraphs_are_lines),
        cmocka_unit_test(cells_are_lines),
        cmocka_unit_test(deleted_text_is_left_out),
        cmocka_unit_test(text_boxes_are_read_once_after_their_paragraph),
        cmocka_unit_test(notes_follow_in_order),
        cmocka_unit_test(hidden_runs_are_flagged),
        cmocka_unit_test(white_runs_are_flagged),
        cmocka_unit_test(open_documents_are_read),
        cmocka_unit_test(notes_and_frames_follow_their_paragraph),
        cmocka_unit_test(deletions_and_comments_are_left_out),
        cmocka_unit_test(hidden_styles_are_flagged),
        cmocka_unit_test(flat_documents_are_read),
        cmocka_unit_test(open_documents_are_recognised),
        cmocka_unit_test(books_are_read_in_their_order),
        cmocka_unit_test(broken_books_have_a_reason),
        cmocka_unit_test(the_pages_of_a_book_are_limited_together),
        cmocka_unit_test(encrypted_documents_have_a_reason),
        cmocka_unit_test(the_content_of_a_doc_decides_its_converter),
        cmocka_unit_test(broken_documents_have_a_reason),
        cmocka_unit_test(entities_are_not_expanded),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(many_attributes_are_refused),
        cmocka_unit_test(a_long_attribute_is_read),
        cmocka_unit_test(many_names_have_a_reason_of_their_own),
        cmocka_unit_test(much_text_is_refused),
        cmocka_unit_test(truncated_and_damaged_documents_give_text_or_a_reason),
#ifdef TW_FAULTS
        cmocka_unit_test(converting_survives_the_loss_of_any_allocation),
#endif
    };
    print_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
