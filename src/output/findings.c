/*
 * Pairs as findings in files, for the pages of a code review: SARIF 2.1.0, which GitHub and editors
 * read, and the code quality report of GitLab. A passage is a finding at its lines; a pair without
 * passages is one at its files. A review shows what stands in the file that a change touches, so a
 * finding is listed twice, once for either file. Nothing in them changes from run to run. A
 * fingerprint is made of the names of both files and the number of the passage, so that it stays
 * when lines move.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "passages_text.h"

tw_write_fn tw_write_sarif, tw_write_codequality;

#define RULE "similar-code"
/* From here up a pair is a warning; below, something to know. */
#define SERIOUS 0.8

/* One finding: two sides, with their paths, and lines from 1; 0: all of the file. */
typedef struct finding {
    const twinset_pair *pair;
    size_t number; /* of the passage in its pair, from 0 */
    const char *paths[2];
    size_t first[2], last[2];
} finding;

/* What identifies a finding from run to run. */
typedef struct fingerprint {
    char text[33];
} fingerprint;

/* Puts a finding as seen from one side, so that it is at lines of the file of that side. `text`
 * says what was found. */
typedef int put_finding_fn(tw_json *json, const finding *found, unsigned side, const char *text,
                           const fingerprint *made);

/* ---- what is said of a finding, whatever the format */

/* Says what was found, as seen from one side: "74.2% similar to b.py, lines 3-20". */
static int describe(const finding *found, unsigned side, tw_bytes *text)
{
    unsigned other = 1 - side;
    int status =
        tw_bytes_printf(text, "%s similar to %s", tw_number_percent(found->pair->similarity).text,
                        found->paths[other]);
    if (status == TWINSET_OK && found->first[other] > 0)
        status = tw_bytes_printf(text, ", lines %zu-%zu", found->first[other], found->last[other]);
    return status == TWINSET_OK ? tw_bytes_append(text, "", 1) : status;
}

/* Seen from either side a finding has another fingerprint. */
static int make_fingerprint(const finding *found, unsigned side, fingerprint *made)
{
    tw_bytes key = {0};
    int status = tw_bytes_printf(&key, "%s\n%s\n%zu", found->paths[side], found->paths[1 - side],
                                 found->number);
    if (status == TWINSET_OK) {
        uint64_t hash = tw_hash_bytes(key.data, key.length);
        uint64_t again = tw_hash_bytes(&hash, sizeof hash);
        snprintf(made->text, sizeof made->text, "%016" PRIx64 "%016" PRIx64, hash, again);
    }
    tw_bytes_free(&key);
    return status;
}

/* ---- going through the pairs */

static int put_side(tw_json *json, const finding *found, unsigned side, put_finding_fn *put)
{
    tw_bytes text = {0};
    fingerprint made;
    int status = describe(found, side, &text);
    if (status == TWINSET_OK)
        status = make_fingerprint(found, side, &made);
    if (status == TWINSET_OK)
        status = put(json, found, side, text.data, &made);
    tw_bytes_free(&text);
    return status;
}

/* Puts one finding; `passage` is NULL for a pair without any. The path of a side is the document,
 * or its file if it is a submission of several. */
static int put_one(tw_json *json, const twinset_pair *pair, size_t number,
                   const tw_located_passage *passage, put_finding_fn *put)
{
    finding found = {.pair = pair, .number = number};
    for (unsigned side = 0; side < 2; side++) {
        const twinset_span *span = passage ? tw_span_of(passage, side) : NULL;
        found.paths[side] = span && span->file ? span->file : side ? pair->b : pair->a;
        found.first[side] = span ? span->first_line : 0;
        found.last[side] = span ? span->last_line : 0;
    }
    int status = put_side(json, &found, 0, put);
    return status == TWINSET_OK ? put_side(json, &found, 1, put) : status;
}

static int put_pair(tw_json *json, const twinset_result *result, size_t index, put_finding_fn *put,
                    twinset_error *error)
{
    twinset_pair pair = tw_result_pair_at(result, index);
    const twinset_passages *shown = result->comparison.passages;
    twinset_passages *found = NULL;
    int status = TWINSET_OK;
    if (index < TWINSET_PAIRS_WITH_PASSAGES && !result->comparison.is_one)
        status = tw_result_find_passages(result, index, &found, error);
    shown = found ? found : shown;
    size_t count = shown ? shown->count : 0;
    for (size_t i = 0; i < count && status == TWINSET_OK && json->sink->failure == 0; i++)
        status = put_one(json, &pair, i, &shown->list[i], put);
    if (count == 0 && status == TWINSET_OK)
        status = put_one(json, &pair, 0, NULL, put);
    twinset_passages_free(found);
    return status;
}

static int put_all(tw_json *json, const twinset_result *result, put_finding_fn *put,
                   twinset_error *error)
{
    int status = TWINSET_OK;
    for (size_t i = 0; i < result->run.pairs && status == TWINSET_OK && json->sink->failure == 0;
         i++)
        status = put_pair(json, result, i, put, error);
    return status;
}

static bool is_serious(const finding *found)
{
    return found->pair->similarity >= SERIOUS;
}

/* ---- SARIF */

/* Appends a path as a relative reference of RFC 3986. */
static int append_uri(tw_bytes *uri, const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-._~/!$&'()*+,;=@";
    int status = TWINSET_OK;
    for (; *path && status == TWINSET_OK; path++) {
        unsigned char byte = (unsigned char)*path;
        status = strchr(plain, *path) ? tw_bytes_append(uri, path, 1)
                                      : tw_bytes_printf(uri, "%%%02X", byte);
    }
    return status == TWINSET_OK ? tw_bytes_append(uri, "", 1) : status;
}

static void put_region(tw_json *json, const finding *found, unsigned side)
{
    if (found->first[side] == 0)
        return;
    tw_json_object(json, "region", TW_JSON_INLINE);
    tw_json_whole(json, "startLine", found->first[side]);
    tw_json_whole(json, "endLine", found->last[side]);
    tw_json_close(json);
}

/* Puts a list of one location; with `text`, what it has to do with the result. */
static int put_location(tw_json *json, const char *key, const finding *found, unsigned side,
                        const char *text)
{
    tw_bytes uri = {0};
    int status = append_uri(&uri, found->paths[side]);
    if (status == TWINSET_OK) {
        tw_json_list(json, key, TW_JSON_INLINE);
        tw_json_object(json, NULL, TW_JSON_INLINE);
        if (text) {
            tw_json_whole(json, "id", 1);
            tw_json_object(json, "message", TW_JSON_INLINE);
            tw_json_string(json, "text", text);
            tw_json_close(json);
        }
        tw_json_object(json, "physicalLocation", TW_JSON_INLINE);
        tw_json_object(json, "artifactLocation", TW_JSON_INLINE);
        tw_json_string(json, "uri", uri.data);
        tw_json_close(json);
        put_region(json, found, side);
        tw_json_close(json);
        tw_json_close(json);
        tw_json_close(json);
    }
    tw_bytes_free(&uri);
    return status;
}

static void put_sarif_head(tw_json *json, const finding *found, const char *text,
                           const fingerprint *made)
{
    tw_json_string(json, "ruleId", RULE);
    tw_json_whole(json, "ruleIndex", 0);
    tw_json_string(json, "level", is_serious(found) ? "warning" : "note");
    tw_json_real(json, "rank", 100 * found->pair->similarity);
    tw_json_object(json, "message", TW_JSON_INLINE);
    tw_json_string(json, "text", text);
    tw_json_close(json);
    tw_json_object(json, "partialFingerprints", TW_JSON_INLINE);
    tw_json_string(json, "twinset/v1", made->text);
    tw_json_close(json);
}

static int put_sarif_result(tw_json *json, const finding *found, unsigned side, const char *text,
                            const fingerprint *made)
{
    tw_json_object(json, NULL, TW_JSON_INLINE);
    put_sarif_head(json, found, text, made);
    int status = put_location(json, "locations", found, side, NULL);
    if (status == TWINSET_OK)
        status = put_location(json, "relatedLocations", found, 1 - side, "the other side");
    tw_json_close(json);
    return status;
}

static void put_tool(tw_json *json)
{
    tw_json_object(json, "tool", TW_JSON_INLINE);
    tw_json_object(json, "driver", TW_JSON_INLINE);
    tw_json_string(json, "name", "twinset");
    tw_json_string(json, "version", TWINSET_VERSION);
    tw_json_list(json, "rules", TW_JSON_INLINE);
    tw_json_object(json, NULL, TW_JSON_INLINE);
    tw_json_string(json, "id", RULE);
    tw_json_string(json, "name", "SimilarCode");
    tw_json_object(json, "shortDescription", TW_JSON_INLINE);
    tw_json_string(json, "text", "Two files have much in common.");
    tw_json_close(json);
    tw_json_close(json);
    tw_json_close(json);
    tw_json_close(json);
    tw_json_close(json);
}

int tw_write_sarif(tw_sink *sink, const twinset_result *result, const twinset_style *style,
                   twinset_error *error)
{
    (void)style;
    tw_json json = tw_json_new(sink);
    tw_json_object(&json, NULL, TW_JSON_LINES);
    tw_json_string(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    tw_json_string(&json, "version", "2.1.0");
    tw_json_list(&json, "runs", TW_JSON_LINES);
    tw_json_object(&json, NULL, TW_JSON_LINES);
    put_tool(&json);
    tw_json_list(&json, "results", TW_JSON_LINES);
    int status = put_all(&json, result, put_sarif_result, error);
    for (int i = 0; i < 4; i++)
        tw_json_close(&json);
    tw_json_end_line(&json);
    return status;
}

/* ---- code quality */

static int put_issue(tw_json *json, const finding *found, unsigned side, const char *text,
                     const fingerprint *made)
{
    tw_json_object(json, NULL, TW_JSON_INLINE);
    tw_json_string(json, "description", text);
    tw_json_string(json, "check_name", RULE);
    tw_json_string(json, "fingerprint", made->text);
    tw_json_string(json, "severity", is_serious(found) ? "major" : "minor");
    tw_json_object(json, "location", TW_JSON_INLINE);
    tw_json_string(json, "path", found->paths[side]);
    tw_json_object(json, "lines", TW_JSON_INLINE);
    tw_json_whole(json, "begin", found->first[side] > 0 ? found->first[side] : 1);
    if (found->last[side] > 0)
        tw_json_whole(json, "end", found->last[side]);
    tw_json_close(json);
    tw_json_close(json);
    tw_json_close(json);
    return TWINSET_OK;
}

int tw_write_codequality(tw_sink *sink, const twinset_result *result, const twinset_style *style,
                         twinset_error *error)
{
    (void)style;
    tw_json json = tw_json_new(sink);
    tw_json_list(&json, NULL, TW_JSON_LINES);
    int status = put_all(&json, result, put_issue, error);
    tw_json_close(&json);
    tw_json_end_line(&json);
    return status;
}
