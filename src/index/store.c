/*
 * The file of an index. SQLite keeps its pages, gives readers a view of their own beside one
 * writer, and makes a batch appear whole or not at all, whatever ends the process.
 *
 * A batch goes to the log, INDEX-wal, and is moved to the file by checkpoints. SQLite takes a
 * damaged log for one that ends there, and would forget batches without a word. So a small file
 * beside the log, INDEX-ack, has the number of the last batch that was acknowledged: an index that
 * has fewer has lost some, and says so. Both files go when the last handle is closed.
 */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    APPLICATION_ID = 0x54576978, /* "TWix", at byte 68 of the file */
    /* Of pages in memory: a server has many handles, and the system keeps pages as well. Adding
     * takes as long with four times as many. */
    WRITER_CACHE_KILOBYTES = 16 << 10,
    READER_CACHE_KILOBYTES = 8 << 10,
    LOG_BYTES = 16 << 20, /* the log is moved to the file when it is about so large */
    ACK_BYTES = 24,
};

static const char *const SQL[TW_SQL_COUNT] = {
    [TW_SQL_BEGIN_READ] = "BEGIN",
    [TW_SQL_BEGIN_WRITE] = "BEGIN IMMEDIATE",
    [TW_SQL_COMMIT] = "COMMIT",
    [TW_SQL_ROLLBACK] = "ROLLBACK",
    [TW_SQL_GET_MANIFEST] = "SELECT data FROM manifest WHERE id = ?1",
    [TW_SQL_PUT_MANIFEST] = "REPLACE INTO manifest (id, data) VALUES (?1, ?2)",
    [TW_SQL_GET_DOCUMENT] = "SELECT data FROM document WHERE id = ?1",
    [TW_SQL_PUT_DOCUMENT] = "INSERT INTO document (id, data) VALUES (?1, ?2)",
    [TW_SQL_DROP_DOCUMENT] = "DELETE FROM document WHERE id BETWEEN ?1 AND ?2",
    [TW_SQL_EACH_DOCUMENT] = "SELECT id, data FROM document WHERE id >= ?1 ORDER BY id",
    [TW_SQL_GET_SEGMENT] = "SELECT data FROM segment WHERE id = ?1",
    [TW_SQL_PUT_SEGMENT] = "REPLACE INTO segment (id, data) VALUES (?1, ?2)",
    [TW_SQL_DROP_SEGMENT] = "DELETE FROM segment WHERE id BETWEEN ?1 AND ?2",
    [TW_SQL_GET_CHUNK] = "SELECT data FROM chunk WHERE id = ?1",
    [TW_SQL_PUT_CHUNK] = "REPLACE INTO chunk (id, data) VALUES (?1, ?2)",
    [TW_SQL_DROP_CHUNKS] = "DELETE FROM chunk WHERE id BETWEEN ?1 AND ?2",
    [TW_SQL_EACH_CHUNK] = "SELECT id, data FROM chunk WHERE id >= ?1 ORDER BY id",
    [TW_SQL_GET_CLUSTER] = "SELECT cluster FROM cluster WHERE document = ?1",
    [TW_SQL_PUT_CLUSTER] = "REPLACE INTO cluster (document, cluster) VALUES (?1, ?2)",
    [TW_SQL_DROP_CLUSTER] = "DELETE FROM cluster WHERE document BETWEEN ?1 AND ?2",
    [TW_SQL_EACH_CLUSTER] = "SELECT cluster, document FROM cluster ORDER BY cluster, document",
    [TW_SQL_CLUSTER_MEMBERS] = "SELECT document FROM cluster WHERE cluster = ?1 ORDER BY document",
    [TW_SQL_MOVE_CLUSTER] = "UPDATE cluster SET cluster = ?2 WHERE cluster = ?1",
};

static const char SCHEMA[] =
    "PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA auto_vacuum = NONE;"
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS manifest (id INTEGER PRIMARY KEY, data BLOB NOT NULL);"
    "CREATE TABLE IF NOT EXISTS document (id INTEGER PRIMARY KEY, data BLOB NOT NULL);"
    "CREATE TABLE IF NOT EXISTS segment (id INTEGER PRIMARY KEY, data BLOB NOT NULL);"
    "CREATE TABLE IF NOT EXISTS chunk (id INTEGER PRIMARY KEY, data BLOB NOT NULL);"
    "CREATE TABLE IF NOT EXISTS cluster (document INTEGER PRIMARY KEY, cluster INTEGER NOT NULL);"
    "CREATE INDEX IF NOT EXISTS cluster_members ON cluster (cluster, document);";

/* ---- errors */

void tw_write_damage(const tw_index *index, twinset_error *error, const char *format, ...)
{
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    tw_write_error(error,
                   "%s: %s; `twinset index verify` says what is damaged, and a backup, or adding "
                   "the documents to a new index, brings it back",
                   index->path, what);
}

static int fail_by_code(tw_index *index, int code, twinset_error *error)
{
    const char *reason = index->database ? sqlite3_errmsg(index->database) : sqlite3_errstr(code);
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return tw_nomem(error);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return tw_fail(error, TWINSET_LIMIT,
                       "%s: another program has been writing to the index for %d seconds; try "
                       "again",
                       index->path, TWINSET_INDEX_WAIT_SECONDS);
    case SQLITE_FULL:
        if (index->quota_bytes)
            return tw_fail(error, TWINSET_LIMIT,
                           "%s: the quota of %llu bytes, or the disk, is full; nothing of this "
                           "batch was added",
                           index->path, (unsigned long long)index->quota_bytes);
        return tw_fail(error, TWINSET_IO, "%s: the disk is full; nothing of this batch was added",
                       index->path);
    case SQLITE_NOTADB:
        return tw_fail(error, TWINSET_IO, "%s: not an index of twinset, or damaged at its start",
                       index->path);
    case SQLITE_CORRUPT:
        return tw_store_damaged(index, error, "a page is damaged (%s)", reason);
    case SQLITE_READONLY:
        return tw_fail(error, TWINSET_IO, "%s: the index cannot be written: %s", index->path,
                       reason);
    default:
        return tw_fail(error, TWINSET_IO, "%s: %s", index->path, reason);
    }
}

int tw_store_fail(tw_index *index, twinset_error *error)
{
    return fail_by_code(index, sqlite3_extended_errcode(index->database), error);
}

/* ---- statements */

sqlite3_stmt *tw_store_statement(tw_index *index, int which)
{
    sqlite3_stmt *statement = index->statements[which];
    sqlite3_reset(statement);
    return statement;
}

int tw_store_run(tw_index *index, sqlite3_stmt *statement, twinset_error *error)
{
    int code = sqlite3_step(statement);
    int status =
        code == SQLITE_DONE || code == SQLITE_ROW ? TWINSET_OK : tw_store_fail(index, error);
    sqlite3_reset(statement);
    return status;
}

int tw_store_blob(tw_index *index, int which, uint64_t id, const void **bytes, size_t *length,
                  twinset_error *error)
{
    sqlite3_stmt *statement = tw_store_statement(index, which);
    *bytes = NULL;
    *length = 0;
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)id);
    int code = sqlite3_step(statement);
    if (code == SQLITE_DONE)
        return TWINSET_OK;
    if (code != SQLITE_ROW)
        return tw_store_fail(index, error);
    *bytes = sqlite3_column_blob(statement, 0);
    *length = (size_t)sqlite3_column_bytes(statement, 0);
    if (!*bytes)
        *length = 0;
    return TWINSET_OK;
}

int tw_store_put(tw_index *index, int which, uint64_t id, const tw_bytes *bytes,
                 twinset_error *error)
{
    sqlite3_stmt *statement = tw_store_statement(index, which);
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)id);
    sqlite3_bind_blob64(statement, 2, bytes->data, bytes->length, SQLITE_STATIC);
    index->unmerged += bytes->length;
    return tw_store_run(index, statement, error);
}

int tw_store_drop(tw_index *index, int which, uint64_t first, uint64_t last, twinset_error *error)
{
    sqlite3_stmt *statement = tw_store_statement(index, which);
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)first);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)last);
    return tw_store_run(index, statement, error);
}

static int prepare_statements(tw_index *index, twinset_error *error)
{
    for (int i = 0; i < TW_SQL_COUNT; i++)
        if (sqlite3_prepare_v3(index->database, SQL[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &index->statements[i], NULL) != SQLITE_OK)
            return tw_store_fail(index, error);
    return TWINSET_OK;
}

/* ---- the counter of acknowledged batches */

static char *make_ack_path(const tw_index *index)
{
    size_t length = strlen(index->path);
    char *path = tw_malloc(length + sizeof "-ack");
    if (path)
        snprintf(path, length + sizeof "-ack", "%s-ack", index->path);
    return path;
}

/* Notes that a batch is acknowledged. It need not reach the disk at once: after a power failure the
 * counter may be behind, which hides damage but invents none. */
static int write_ack(const tw_index *index, twinset_error *error)
{
    uint64_t fields[] = {index->manifest.identity, index->manifest.batches, 0};
    fields[2] = tw_hash_bytes(fields, 16);
    char *path = make_ack_path(index);
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
    bool is_written = fd >= 0 && pwrite(fd, fields, sizeof fields, 0) == (ssize_t)sizeof fields;
    int reason = errno;
    if (fd >= 0)
        close(fd);
    tw_free(path);
    return is_written ? TWINSET_OK
                      : tw_fail(error, TWINSET_IO, "%s-ack: %s; the batch is in the index",
                                index->path, tw_system_reason(reason));
}

/* Returns the last batch that was acknowledged, 0 where there is no such file or it is damaged. */
static uint64_t read_ack(const tw_index *index, uint64_t *identity)
{
    uint64_t fields[3] = {0};
    char *path = make_ack_path(index);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    bool is_read = fd >= 0 && pread(fd, fields, sizeof fields, 0) == (ssize_t)sizeof fields &&
                   fields[2] == tw_hash_bytes(fields, 16);
    if (fd >= 0)
        close(fd);
    tw_free(path);
    *identity = fields[0];
    return is_read ? fields[1] : 0;
}

/* ---- transactions */

/* Reads the manifest, unless it is the one that is loaded. */
static int load_manifest(tw_index *index, twinset_error *error)
{
    const void *bytes;
    size_t length;
    int read, status = tw_store_blob(index, TW_SQL_GET_MANIFEST, 1, &bytes, &length, error);
    if (status != TWINSET_OK)
        return status;
    bool is_same = index->is_loaded && bytes && length > 36 &&
                   tw_load64((const char *)bytes + 28) == index->manifest.batches;
    if (!is_same) {
        index->is_loaded = false;
        if (!bytes || !tw_manifest_read(&index->manifest, bytes, length, &read))
            status = tw_store_damaged(index, error, "its manifest is damaged");
        else
            status = read == TWINSET_OK ? TWINSET_OK : tw_nomem(error);
        index->is_loaded = status == TWINSET_OK;
        if (index->is_loaded)
            tw_heads_forget_dropped(index);
    }
    sqlite3_reset(index->statements[TW_SQL_GET_MANIFEST]);
    return status;
}

static int check_ack(const tw_index *index, uint64_t acknowledged, uint64_t identity,
                     twinset_error *error)
{
    uint64_t batches = index->manifest.batches;
    if (identity != index->manifest.identity || acknowledged <= batches)
        return TWINSET_OK;
    return tw_fail(
        error, TWINSET_IO,
        "%s: its log %s-wal was lost or damaged, and with it the last %llu of %llu "
        "batches; restore it, or delete %s-ack to go on without them, and add them again",
        index->path, index->path, (unsigned long long)(acknowledged - batches),
        (unsigned long long)acknowledged, index->path);
}

int tw_store_begin(tw_index *index, bool is_writing, twinset_error *error)
{
    uint64_t identity, acknowledged = read_ack(index, &identity);
    if (is_writing && index->flags & TWINSET_INDEX_READ_ONLY)
        return tw_fail(error, TWINSET_USAGE, "%s: the index is open for reading only", index->path);
    int status = tw_store_run(
        index, tw_store_statement(index, is_writing ? TW_SQL_BEGIN_WRITE : TW_SQL_BEGIN_READ),
        error);
    if (status != TWINSET_OK)
        return status;
    index->is_writing = is_writing;
    status = load_manifest(index, error);
    if (status == TWINSET_OK)
        status = check_ack(index, acknowledged, identity, error);
    return status == TWINSET_OK ? TWINSET_OK : tw_store_end(index, status, error);
}

int tw_store_checkpoint(tw_index *index, bool all)
{
    index->unmerged = 0;
    return sqlite3_wal_checkpoint_v2(index->database, NULL,
                                     all ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE,
                                     NULL, NULL);
}

/* Writes the manifest, commits, and acknowledges. */
static int commit_batch(tw_index *index, twinset_error *error)
{
    tw_bytes bytes = {0};
    index->manifest.batches++;
    int status = tw_manifest_write(&index->manifest, &bytes);
    if (status != TWINSET_OK)
        status = tw_nomem(error);
    else
        status = tw_store_put(index, TW_SQL_PUT_MANIFEST, 1, &bytes, error);
    tw_bytes_free(&bytes);
    if (status == TWINSET_OK)
        status = tw_store_run(index, tw_store_statement(index, TW_SQL_COMMIT), error);
    if (status != TWINSET_OK)
        return status;
    index->is_writing = false;
    if (index->unmerged > LOG_BYTES)
        tw_store_checkpoint(index, false);
    return write_ack(index, error);
}

int tw_store_end(tw_index *index, int status, twinset_error *error)
{
    for (int i = TW_SQL_GET_MANIFEST; i < TW_SQL_COUNT; i++)
        sqlite3_reset(index->statements[i]);
    bool was_writing = index->is_writing;
    if (status == TWINSET_OK && was_writing)
        status = commit_batch(index, error);
    if (was_writing && status != TWINSET_OK) { /* what is in memory is not what is in the file */
        index->is_loaded = false;
        tw_heads_forget(index);
    }
    if (!sqlite3_get_autocommit(index->database)) {
        sqlite3_stmt *end =
            tw_store_statement(index, index->is_writing ? TW_SQL_ROLLBACK : TW_SQL_COMMIT);
        sqlite3_step(end);
        sqlite3_reset(end);
    }
    index->is_writing = false;
    return tw_complete_error(error, status);
}

/* ---- opening */

static int configure(tw_index *index, twinset_error *error)
{
    static const char PRAGMAS[] =
        "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;"
        "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA mmap_size = 0;"
        "PRAGMA wal_autocheckpoint = 0;";
    char cache[48];
    bool is_reader = index->flags & TWINSET_INDEX_READ_ONLY;
    snprintf(cache, sizeof cache, "PRAGMA cache_size = -%d;",
             is_reader ? READER_CACHE_KILOBYTES : WRITER_CACHE_KILOBYTES);
    sqlite3_extended_result_codes(index->database, 1);
    sqlite3_busy_timeout(index->database, 1000 * TWINSET_INDEX_WAIT_SECONDS);
    sqlite3_db_config(index->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (sqlite3_exec(index->database, PRAGMAS, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(index->database, cache, NULL, NULL, NULL) != SQLITE_OK)
        return tw_store_fail(index, error);
    return TWINSET_OK;
}

/* Asks for a number that the file has. */
static int get_number(tw_index *index, const char *sql, sqlite3_int64 *value, twinset_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(index->database, sql, -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    *value = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    int status = code == SQLITE_ROW ? TWINSET_OK : tw_store_fail(index, error);
    sqlite3_finalize(statement);
    return status;
}

/* Chooses what a new index is made with and what it keeps. */
static int fill_manifest(tw_index *index, twinset_error *error)
{
    twinset_options options = index->options;
    tw_manifest *manifest = &index->manifest;
    int status = tw_parameters_choose(&options, error);
    if (status != TWINSET_OK)
        return status;
    sqlite3_randomness(sizeof manifest->identity, &manifest->identity);
    manifest->next_document = manifest->next_segment = manifest->next_job = 1;
    manifest->has_texts = !(index->flags & TWINSET_INDEX_NO_TEXT);
    manifest->has_fingerprints = tw_wants_passages(&options) && options.by != TWINSET_BY_CODE;
    manifest->bands = options.bands;
    manifest->rows = options.rows;
    if (manifest->has_fingerprints && !manifest->has_texts)
        return tw_fail(error, TWINSET_USAGE,
                       "an index without texts has no passages; leave `min-passage` out");
    if (options.bands + manifest->has_fingerprints > TW_INDEX_MOST_BANDS)
        return tw_fail(error, TWINSET_USAGE, "an index has at most %d `bands`, not %u",
                       TW_INDEX_MOST_BANDS - manifest->has_fingerprints, options.bands);
    return tw_complete_error(error, tw_parameters_write(&options, &manifest->parameters));
}

/* Writes what says that the file is an index, and of which version. */
static int sign_file(tw_index *index, twinset_error *error)
{
    char pragmas[96];
    snprintf(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %u;",
             APPLICATION_ID, tw_manifest_version(&index->manifest));
    return sqlite3_exec(index->database, pragmas, NULL, NULL, NULL) == SQLITE_OK
               ? TWINSET_OK
               : tw_store_fail(index, error);
}

/* Writes a new index into an empty file, unless another program was first. */
static int create_index(tw_index *index, twinset_error *error)
{
    const void *bytes;
    size_t length;
    if (sqlite3_exec(index->database, SCHEMA, NULL, NULL, NULL) != SQLITE_OK)
        return tw_store_fail(index, error);
    int status = prepare_statements(index, error);
    index->is_writing = true;
    if (status == TWINSET_OK)
        status = tw_store_blob(index, TW_SQL_GET_MANIFEST, 1, &bytes, &length, error);
    if (status == TWINSET_OK && bytes) { /* another program was first */
        index->is_writing = false;
        return tw_store_end(index, TWINSET_OK, error);
    }
    if (status == TWINSET_OK)
        status = fill_manifest(index, error);
    if (status == TWINSET_OK)
        status = sign_file(index, error);
    return tw_store_end(index, status, error);
}

/* Checks that an existing file is an index of this version, or makes a new one of an empty file. */
static int recognise(tw_index *index, twinset_error *error)
{
    sqlite3_int64 application, version, tables;
    int status = get_number(index, "PRAGMA application_id", &application, error);
    if (status == TWINSET_OK)
        status = get_number(index, "PRAGMA user_version", &version, error);
    if (status == TWINSET_OK)
        status = get_number(index, "SELECT count(*) FROM sqlite_schema", &tables, error);
    if (status != TWINSET_OK)
        return status;
    if (application == 0 && tables == 0 && index->flags & TWINSET_INDEX_CREATE)
        return create_index(index, error);
    if (application != APPLICATION_ID)
        return tw_fail(error, TWINSET_IO, "%s: not an index of twinset", index->path);
    if (version < 1 || version > TWINSET_INDEX_VERSION)
        return tw_fail(error, TWINSET_IO,
                       "%s: an index of version %lld, and this twinset reads up to %d; use the "
                       "twinset that made it, with `twinset index dump`, and add its documents to "
                       "a new index",
                       index->path, (long long)version, TWINSET_INDEX_VERSION);
    return prepare_statements(index, error);
}

static int open_database(tw_index *index, twinset_error *error)
{
    struct stat file;
    bool is_absent = stat(index->path, &file) != 0;
    if (is_absent && !(index->flags & TWINSET_INDEX_CREATE))
        return tw_fail(error, TWINSET_IO, "%s: %s; `twinset index add` creates an index",
                       index->path, tw_system_reason(errno));
    if (!is_absent && !S_ISREG(file.st_mode))
        return tw_fail(error, TWINSET_IO, "%s: not a file; name the file of an index", index->path);
    /* A reader, too, may have to complete what a process that was killed has left. */
    int mode =
        access(index->path, W_OK) == 0 || is_absent ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    if (index->flags & TWINSET_INDEX_CREATE)
        mode |= SQLITE_OPEN_CREATE;
    int code = sqlite3_open_v2(index->path, &index->database, mode | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK)
        return fail_by_code(index, code, error);
    int status = configure(index, error);
    if (status == TWINSET_OK)
        status = recognise(index, error);
    if (status != TWINSET_OK && is_absent)
        unlink(index->path); /* an empty file is of no use */
    return status;
}

/* Takes the options that the index keeps, and checks that those given agree. */
static int adopt_options(tw_index *index, twinset_error *error)
{
    twinset_options given = index->options;
    int status =
        tw_parameters_read(&index->manifest.parameters, index->arena, &index->options, error);
    if (status == TWINSET_OK)
        status = tw_index_check_options(index, &given, true, error);
    return status == TWINSET_OK ? tw_settings_new(&index->options, &index->settings, error)
                                : status;
}

static int fill_index(tw_index *index, const char *path, const twinset_options *options,
                      twinset_error *error)
{
    int status = tw_options_copy(options, &index->options, error);
    if (status != TWINSET_OK)
        return status;
    index->path = tw_strdup(path);
    index->arena = tw_arena_new(NULL);
    index->heads = tw_calloc(TW_CACHED_SEGMENTS, sizeof *index->heads);
    index->packer = ZSTD_createCCtx();
    index->unpacker = ZSTD_createDCtx();
    if (!index->path || !index->arena || !index->heads || !index->packer || !index->unpacker ||
        tw_options_copy_strings(&index->options, index->arena) != TWINSET_OK)
        return tw_nomem(error);
    status = open_database(index, error);
    if (status == TWINSET_OK)
        status = tw_store_begin(index, false, error);
    if (status != TWINSET_OK)
        return status;
    return tw_store_end(index, adopt_options(index, error), error);
}

int tw_index_open(const char *path, const twinset_options *options, unsigned flags, tw_index **out,
                  twinset_error *error)
{
    tw_index *index = *out = tw_calloc(1, sizeof *index);
    if (!index)
        return tw_nomem(error);
    index->flags = flags;
    int status = fill_index(index, path, options, error);
    if (status != TWINSET_OK) {
        tw_index_close(index);
        *out = NULL;
    }
    return status;
}

/* Moves the log to the file. Without a log there is nothing to count. */
static void end_log(tw_index *index)
{
    char *path = make_ack_path(index);
    if (index->is_loaded && tw_store_checkpoint(index, true) == SQLITE_OK && path)
        unlink(path);
    tw_free(path);
}

void tw_index_close(tw_index *index)
{
    if (!index)
        return;
    if (index->database && !(index->flags & TWINSET_INDEX_READ_ONLY)) {
        sqlite3_busy_timeout(index->database, 0);
        end_log(index);
    }
    for (int i = 0; i < TW_SQL_COUNT; i++)
        sqlite3_finalize(index->statements[i]);
    sqlite3_close(index->database);
    tw_heads_free(index);
    tw_manifest_free(&index->manifest);
    if (index->tools.analyser)
        tw_analyser_free(index->tools.analyser);
    tw_free(index->tools.analyser);
    tw_fingerprinter_free(index->tools.fingerprinter);
    tw_rarity_free(index->tools.rarity);
    tw_settings_release(index->settings);
    tw_arena_release(index->skips.arena);
    tw_free(index->skips.data);
    ZSTD_freeCCtx(index->packer);
    ZSTD_freeDCtx(index->unpacker);
    tw_bytes_free(&index->record);
    tw_bytes_free(&index->text);
    tw_arena_release(index->arena);
    tw_free(index->path);
    tw_free(index);
}

int tw_index_set_quota(tw_index *index, uint64_t bytes, twinset_error *error)
{
    char sql[64];
    sqlite3_int64 page_bytes;
    int status = get_number(index, "PRAGMA page_size", &page_bytes, error);
    if (status != TWINSET_OK)
        return status;
    unsigned long long pages = bytes ? bytes / (uint64_t)page_bytes : 4294967294u;
    snprintf(sql, sizeof sql, "PRAGMA max_page_count = %llu", pages ? pages : 1);
    index->quota_bytes = bytes;
    return sqlite3_exec(index->database, sql, NULL, NULL, NULL) == SQLITE_OK
               ? TWINSET_OK
               : tw_store_fail(index, error);
}
