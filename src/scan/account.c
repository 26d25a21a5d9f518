#include "account.h"

#include <stdlib.h>

#include "scan.h"

/* Returns the line in "FILE:LINE", and sets the length of FILE; 0: the path has no line. */
static uint64_t get_line(const char *path, size_t *length)
{
    const char *colon = strrchr(path, ':');
    uint64_t line = 0;
    *length = strlen(path);
    if (!colon || !colon[1] || strlen(colon + 1) > 18 || colon[1 + strspn(colon + 1, "0123456789")])
        return 0;
    for (const char *digit = colon + 1; *digit; digit++)
        line = 10 * line + (uint64_t)(*digit - '0');
    *length = (size_t)(colon - path);
    return line;
}

/* Compares by file, and by line in a file, where line 9 comes before line 10. */
static int by_path(const void *left, const void *right)
{
    const twinset_skip *x = left, *y = right;
    size_t length[2];
    uint64_t lines[] = {get_line(x->path, &length[0]), get_line(y->path, &length[1])};
    int order = memcmp(x->path, y->path, length[0] < length[1] ? length[0] : length[1]);
    if (order == 0)
        order = (length[0] > length[1]) - (length[0] < length[1]);
    if (order == 0)
        order = (lines[0] > lines[1]) - (lines[0] < lines[1]);
    if (order == 0)
        order = strcmp(x->path, y->path);
    return order ? order : strcmp(x->reason, y->reason);
}

int tw_list_skips(const tw_corpus *corpus, twinset_result *result)
{
    const tw_skips *skips = &corpus->skips;
    twinset_skip *listed = tw_array(skips->count, sizeof *listed);
    if (!listed)
        return TWINSET_NOMEM;
    tw_free(result->skips);
    result->skips = listed;
    result->run.skipped = 0;
    for (size_t i = 0; i < skips->count; i++) {
        const tw_skipped_input *skip = &skips->data[i];
        twinset_skip found = {.empty = tw_skip_stays(corpus->sources, skip)};
        int status = tw_arena_strdup(result->arena, skip->path, &found.path);
        if (status == TWINSET_OK)
            status = tw_arena_strdup(result->arena, skip->reason, &found.reason);
        if (status != TWINSET_OK)
            return status;
        listed[i] = found;
    }
    result->run.skipped = skips->count;
    result->run.missing = corpus->sources->skips.count;
    if (skips->count)
        qsort(result->skips, skips->count, sizeof *result->skips, by_path);
    return TWINSET_OK;
}

/* The encoding that was guessed for a document, or NULL. */
static const char *encoding_of(const tw_corpus *corpus, uint32_t document)
{
    const tw_source *source = tw_source_of(corpus, document);
    return source->path ? tw_file_extent(corpus, source)->encoding : NULL;
}

/* A pass over all documents. */
typedef struct listing {
    const tw_corpus *corpus;
    twinset_result *result;
    atomic_size_t flagged, numbers;
} listing;

/* Lists names. Counts the documents with flags and those whose names are numbers. */
static int list_names(void *context, unsigned worker, size_t from, size_t to)
{
    listing *all = context;
    size_t flagged = 0, numbers = 0;
    (void)worker;
    for (size_t i = from; i < to; i++) {
        const tw_document *document = tw_document_at(all->corpus, (uint32_t)i);
        all->result->names[i] = document->name;
        if (all->result->languages)
            all->result->languages[i] = document->language;
        flagged += document->flags != 0;
        numbers += document->naming == TW_NAMED_BY_NUMBER;
    }
    atomic_fetch_add(&all->flagged, flagged);
    atomic_fetch_add(&all->numbers, numbers);
    return TWINSET_OK;
}

/* Marks the documents whose names are numbers. */
static int mark_numbers(void *context, unsigned worker, size_t from, size_t to)
{
    listing *all = context;
    (void)worker;
    for (size_t i = from; i < to; i++)
        if (tw_document_at(all->corpus, (uint32_t)i)->naming == TW_NAMED_BY_NUMBER)
            all->result->numbers[i / 64] |= (uint64_t)1 << i % 64; /* no two ranges share one */
    return TWINSET_OK;
}

static void list_flagged(const tw_corpus *corpus, twinset_result *result, size_t flagged)
{
    for (uint32_t i = 0; result->run.flagged < flagged; i++) {
        const tw_document *document = tw_document_at(corpus, i);
        if (document->flags)
            result->flagged[result->run.flagged++] =
                (twinset_flagged_document){document->name, document->flags, encoding_of(corpus, i)};
    }
}

static int list_documents(const tw_corpus *corpus, twinset_result *result)
{
    size_t count = corpus->documents.count;
    tw_loop loop = tw_settings_loop(corpus->settings, "reading");
    listing all = {.corpus = corpus, .result = result};
    result->names = tw_array(count, sizeof *result->names);
    bool has_languages = tw_compares_languages(corpus->settings);
    if (has_languages)
        result->languages = tw_array(count, sizeof *result->languages);
    bool is_enough = result->names && (result->languages || !has_languages);
    int status = is_enough ? tw_parallel_ranges(&loop, count, list_names, &all) : TWINSET_NOMEM;
    if (status != TWINSET_OK)
        return status;
    result->flagged = tw_array(all.flagged, sizeof *result->flagged);
    if (!result->flagged)
        return TWINSET_NOMEM;
    list_flagged(corpus, result, all.flagged);
    if (!all.numbers)
        return TWINSET_OK;
    result->numbers = tw_calloc(count / 64 + 1, sizeof *result->numbers);
    return result->numbers ? tw_parallel_ranges(&loop, count, mark_numbers, &all) : TWINSET_NOMEM;
}

/* ---- notes */

/* Notes a group field that no document has: it is likely to be misspelt. */
static int note_groups(const tw_corpus *corpus, twinset_result *result)
{
    const char *field = tw_group_field(corpus->settings);
    if (!field || tw_corpus_has_groups(corpus))
        return TWINSET_OK;
    return tw_result_note(result, "`group` %s: no document has such a field or column", field);
}

/* Counts the files of submissions, and finds the name of the first submission. */
static size_t count_submitted(const tw_corpus *corpus, const char **first)
{
    size_t files = 0;
    *first = NULL;
    for (size_t i = 0; i < corpus->sources->count; i++) {
        const tw_source *source = tw_source_at(corpus->sources, i);
        tw_source_group group = tw_corpus_source_group(corpus, source);
        if (!group.id || tw_is_passed_over(corpus, i))
            continue;
        files++;
        *first = *first ? *first : group.name;
    }
    return files;
}

/* Notes what was taken for a submission. */
static int note_submissions(const tw_corpus *corpus, twinset_result *result)
{
    const char *first;
    size_t submissions = 0, files = count_submitted(corpus, &first);
    for (uint32_t i = 0; i < corpus->documents.count; i++)
        submissions += tw_corpus_source_group(corpus, tw_source_of(corpus, i)).id != 0;
    if (!submissions)
        return TWINSET_OK;
    return tw_result_note(
        result, "%s %s taken as one submission each, such as %s, with %s %s in all%s",
        tw_number_count(submissions).text,
        submissions == 1 ? "folder or archive is" : "folders or archives are", first,
        tw_number_count(files).text, files == 1 ? "file" : "files",
        tw_groups_are_open(corpus->settings) ? "; `group` none compares file by file" : "");
}

/* Notes how folders of programs were taken, which the caller may have left open. */
static int note_folders(const tw_corpus *corpus, twinset_result *result)
{
    tw_folder_survey survey;
    if (!tw_compares_programs(corpus->settings) || corpus->is_comparison)
        return TWINSET_OK;
    if (corpus->groups)
        return note_submissions(corpus, result);
    if (!tw_groups_are_open(corpus->settings))
        return TWINSET_OK;
    int status = tw_survey_folders(corpus->sources, &survey);
    if (status != TWINSET_OK || survey.submissions < 2)
        return status;
    return tw_result_note(result,
                          "the files of %s folders or archives are compared one by one; `group` "
                          "dir takes each of them for one submission",
                          tw_number_count(survey.submissions).text);
}

/* Notes documents that are read in windows, since quotations and lists of sources are not found in
 * them. */
static int note_large(const tw_corpus *corpus, twinset_result *result)
{
    size_t count = 0;
    const char *first = NULL;
    for (uint32_t i = 0;
         i < corpus->documents.count && tw_options_omit_text(&corpus->settings->options); i++)
        if (tw_document_is_large(corpus, i) && count++ == 0)
            first = tw_document_at(corpus, i)->name;
    if (!count)
        return TWINSET_OK;
    return tw_result_note(result,
                          "%zu %s too large to be read whole, such as %s: quotations and lists of "
                          "sources stay in; raise `memory`",
                          count, count == 1 ? "document is" : "documents are", first);
}

static int note_excluded(const tw_sources *sources, twinset_result *result)
{
    int status = TWINSET_OK;
    if (sources->hidden)
        status =
            tw_result_note(result, "%zu hidden %s left out; `all` takes %s in", sources->hidden,
                           sources->hidden == 1 ? "file or folder was" : "files or folders were",
                           sources->hidden == 1 ? "it" : "them");
    if (sources->excluded && status == TWINSET_OK)
        status =
            tw_result_note(result, "%zu %s left out by `include` or `exclude`", sources->excluded,
                           sources->excluded == 1 ? "file or folder was" : "files or folders were");
    return status;
}

/* Whether some documents are in languages that are compared with each other. */
static bool has_two_languages(const tw_corpus *corpus, const uint8_t *languages)
{
    bool is_seen[TW_SEVERAL_LANGUAGES + 1] = {false};
    for (uint32_t i = 0; i < corpus->documents.count; i++) {
        bool is_new = !is_seen[languages[i]];
        is_seen[languages[i]] = true;
        for (uint8_t other = 0; is_new && other <= TW_SEVERAL_LANGUAGES; other++)
            if (is_seen[other] && tw_languages_differ(languages[i], other))
                return true;
    }
    return false;
}

/* Notes programs that have nothing but names and values in common with others. */
static int note_unparsed(const tw_corpus *corpus, twinset_result *result)
{
    size_t count = 0;
    const char *first = NULL;
    for (uint32_t i = 0; i < corpus->documents.count; i++)
        if (strcmp(tw_language_name_at(result->languages[i]), "plain") == 0 && count++ == 0)
            first = result->names[i];
    if (!count)
        return TWINSET_OK;
    return tw_result_note(result,
                          "%zu %s in a language without a grammar, such as %s: by `view` across "
                          "only names and values count",
                          count, count == 1 ? "program is" : "programs are", first);
}

/* Notes what is compared by view across. */
static int note_languages(const tw_corpus *corpus, twinset_result *result)
{
    if (!result->languages || corpus->is_comparison)
        return TWINSET_OK;
    if (!has_two_languages(corpus, result->languages))
        return tw_result_note(result, "`view` across: there are no programs of two languages");
    int status = tw_result_note(
        result, "`view` across: only programs of different languages are compared, by what these "
                "languages have in common");
    return status == TWINSET_OK ? note_unparsed(corpus, result) : status;
}

int tw_account_for_input(const tw_corpus *corpus, twinset_result *result)
{
    int status = tw_list_skips(corpus, result);
    if (status == TWINSET_OK)
        status = list_documents(corpus, result);
    if (status == TWINSET_OK)
        status = note_groups(corpus, result);
    if (status == TWINSET_OK)
        status = note_large(corpus, result);
    if (status == TWINSET_OK)
        status = note_languages(corpus, result);
    result->run.documents = corpus->documents.count;
    result->run.records = corpus->totals.records;
    result->run.bytes = corpus->totals.bytes;
    result->run.resumed_bytes = corpus->totals.resumed;
    result->run.shingles = corpus->totals.shingles;
    if (status == TWINSET_OK)
        status = note_excluded(corpus->sources, result);
    return status == TWINSET_OK ? note_folders(corpus, result) : status;
}

int tw_note_programs_as_text(const tw_corpus *corpus, twinset_result *result)
{
    tw_folder_survey survey;
    if (corpus->settings->given.by != TWINSET_BY_AUTO || tw_compares_programs(corpus->settings) ||
        corpus->is_comparison)
        return TWINSET_OK;
    int status = tw_survey_folders(corpus->sources, &survey);
    if (status != TWINSET_OK || !survey.programs || 4 * survey.programs < survey.texts)
        return status;
    return tw_result_note(result,
                          "%s of %s files %s compared as text; `by` code compares all as programs",
                          tw_number_count(survey.programs).text, tw_number_count(survey.texts).text,
                          survey.programs == 1 ? "is a program, and is" : "are programs, and are");
}
