#include "checkpoint.h"

#include <stdlib.h>
#include <sys/stat.h>

static int identify_file(const char *path, tw_bytes *description)
{
    struct stat file;
    if (stat(path, &file) != 0)
        memset(&file, 0, sizeof file);
    return tw_bytes_printf(description, "%s %lld %lld.%09ld\n", path, (long long)file.st_size,
                           (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
}

/* Describes everything that is known of a source before it is read, including what a manifest says
 * of it. */
static int identify_source(const tw_corpus *corpus, const tw_source *source, tw_bytes *description)
{
    const tw_source_file *file = source->file;
    tw_source_group group = tw_corpus_source_group(corpus, source);
    int status = tw_bytes_printf(
        description, "%d %d %s %s %u %llx %s %s ", source->kind, source->role, source->name,
        file->member_name ? file->member_name : "", file->member, (unsigned long long)group.id,
        group.name ? group.name : "", file->time ? file->time : "");
    return status == TWINSET_OK ? identify_file(source->path, description) : status;
}

/* Describes the run that a checkpoint belongs to: everything that its contents depend on, this
 * build included. */
static int describe_run(const tw_corpus *corpus, const tw_task *task, tw_bytes *description)
{
    const twinset_options *options = &corpus->settings->options;
    const tw_sources *sources = corpus->sources;
    int status = tw_bytes_printf(description, "%s %s %d %llu\n", TWINSET_VERSION, tw_build_id(),
                                 task->wants_details, (unsigned long long)options->memory_bytes);
    if (status == TWINSET_OK)
        status = tw_options_json(options, description);
    if (status == TWINSET_OK && options->stop)
        status = identify_file(options->stop, description);
    const char *grammars = getenv("TWINSET_GRAMMARS");
    if (status == TWINSET_OK && grammars)
        status = identify_file(grammars, description);
    for (size_t i = 0; i < sources->count && status == TWINSET_OK; i++)
        status = identify_source(corpus, tw_source_at(sources, i), description);
    return status;
}

static int identify_run(const tw_corpus *corpus, const tw_task *task, uint64_t identity[2])
{
    tw_bytes description = {0};
    uint8_t digest[16];
    int status = describe_run(corpus, task, &description);
    if (status == TWINSET_OK) {
        tw_md5(description.data, description.length, digest);
        memcpy(identity, digest, sizeof digest);
    }
    tw_bytes_free(&description);
    return status;
}

/* Refuses sources that cannot be read again, or that are the journals. */
static int check_sources(const tw_corpus *corpus, twinset_error *error)
{
    for (size_t i = 0; i < corpus->sources->count; i++) {
        if (corpus->states[i].is_spooled || !tw_source_at(corpus->sources, i)->path)
            return tw_fail(error, TWINSET_USAGE,
                           "`checkpoint`: %s cannot be read a second time; save it to a file first",
                           tw_source_at(corpus->sources, i)->path ? "standard input"
                                                                  : "a text in memory");
        if (tw_is_journal(corpus->settings->options.checkpoint,
                          tw_source_at(corpus->sources, i)->path))
            return tw_fail(error, TWINSET_USAGE,
                           "`checkpoint` would replace an input, %s; name another folder",
                           tw_source_at(corpus->sources, i)->path);
    }
    return TWINSET_OK;
}

int tw_checkpoint_open(const tw_corpus *corpus, tw_checkpoint *checkpoint, tw_task *task,
                       twinset_error *error)
{
    uint64_t identity[2];
    const char *folder = corpus->settings->options.checkpoint;
    int status = check_sources(corpus, error);
    if (status != TWINSET_OK)
        return status;
    if (identify_run(corpus, task, identity) != TWINSET_OK)
        return tw_nomem(error);
    status = tw_journal_open(folder, TW_READ_JOURNAL, identity, &checkpoint->read, error);
    if (status == TWINSET_OK)
        status = tw_journal_open(folder, TW_MATCHES_JOURNAL, identity, &checkpoint->matches, error);
    task->read = &checkpoint->read;
    task->matches = &checkpoint->matches;
    return status;
}

void tw_checkpoint_close(tw_checkpoint *checkpoint)
{
    tw_journal_close(&checkpoint->read);
    tw_journal_close(&checkpoint->matches);
}

/* ---- what else is written */

int tw_checkpoint_check_outputs(const char *folder, const char *const *paths, size_t count,
                                twinset_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (tw_is_journal(folder, paths[i]))
            return tw_fail(error, TWINSET_USAGE,
                           "%s would replace a journal of `checkpoint`; choose another name",
                           paths[i]);
    return TWINSET_OK;
}
