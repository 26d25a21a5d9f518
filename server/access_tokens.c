/*
 * The tokens that clients send. Each is kept with zeros up to one size, as is the token that is
 * presented, which is compared with all of them to the last byte: how long an answer takes says
 * nothing of the tokens, not even their lengths.
 */
#define _DEFAULT_SOURCE /* explicit_bzero */
#include "http.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LEAST_TOKEN = 16, TOKEN_BYTES = 512, LINE_BYTES = 1024, NAME_BYTES = 64 };

typedef struct token_entry {
    char token[TOKEN_BYTES];
    access_right right;
    char name[NAME_BYTES];
} token_entry;

struct token_list {
    token_entry *entries;
    size_t count;
};

static int fail(twinset_error *error, const char *path, size_t line, const char *reason)
{
    if (line > 0)
        snprintf(error->message, sizeof error->message, "%s:%zu: %s", path, line, reason);
    else
        snprintf(error->message, sizeof error->message, "%s: %s", path, reason);
    return TWINSET_USAGE;
}

/* False for a token that does not fit. */
static bool pad_token(const char *token, char padded[TOKEN_BYTES])
{
    size_t length = strlen(token);
    if (length > TOKEN_BYTES)
        return false;
    memset(padded, 0, TOKEN_BYTES);
    memcpy(padded, token, length);
    return true;
}

/* The bytes are volatile so that no compiler stops at the first that differs. */
static bool is_same_token(const volatile char a[TOKEN_BYTES], const volatile char b[TOKEN_BYTES])
{
    int difference = 0;
    for (size_t i = 0; i < TOKEN_BYTES; i++)
        difference |= a[i] ^ b[i];
    return difference == 0;
}

/* Reads `read TOKEN NAME`; returns a reason, or NULL. */
static const char *parse_entry(char *line, size_t number, token_entry *entry)
{
    char *rest = NULL;
    const char *right = strtok_r(line, " \t\r\n", &rest), *token = strtok_r(NULL, " \t\r\n", &rest),
               *name = strtok_r(NULL, " \t\r\n", &rest);
    if (strcmp(right, "read") == 0)
        entry->right = ACCESS_READ;
    else if (strcmp(right, "write") == 0)
        entry->right = ACCESS_WRITE;
    else
        return "a line is `read TOKEN NAME` or `write TOKEN NAME`";
    if (token == NULL || strlen(token) < LEAST_TOKEN)
        return "a token has 16 characters or more; `openssl rand -hex 24` makes a good one";
    if (name != NULL)
        snprintf(entry->name, sizeof entry->name, "%s", name);
    else
        snprintf(entry->name, sizeof entry->name, "line %zu", number);
    return pad_token(token, entry->token) ? NULL : "a token has 512 characters or fewer";
}

static int add_entry(token_list *tokens, const char *path, char *line, size_t number,
                     twinset_error *error)
{
    token_entry *longer = realloc(tokens->entries, (tokens->count + 1) * sizeof *tokens->entries);
    if (longer == NULL) {
        fail(error, path, 0, "out of memory");
        return TWINSET_NOMEM;
    }
    tokens->entries = longer;
    const char *reason = parse_entry(line, number, &longer[tokens->count]);
    if (reason != NULL)
        return fail(error, path, number, reason);
    tokens->count++;
    return 0;
}

static int read_entries(token_list *tokens, const char *path, FILE *file, twinset_error *error)
{
    char line[LINE_BYTES];
    int status = 0;
    for (size_t number = 1; status == 0 && fgets(line, sizeof line, file) != NULL; number++) {
        char first = line[strspn(line, " \t\r\n")];
        if (strchr(line, '\n') == NULL && !feof(file))
            status = fail(error, path, number, "the line is too long");
        else if (first != '\0' && first != '#')
            status = add_entry(tokens, path, line, number, error);
    }
    explicit_bzero(line, sizeof line);
    if (status == 0 && tokens->count == 0)
        status = fail(error, path, 0, "there is no token in it; nobody could ask anything");
    return status;
}

/* Others on the machine must not read the tokens. */
static int check_mode(const char *path, FILE *file, twinset_error *error)
{
    struct stat info;
    if (fstat(fileno(file), &info) == 0 && (info.st_mode & (S_IRWXG | S_IRWXO)) == 0)
        return 0;
    /* systemd hands over credentials that a group may read, in a folder where none may look. */
    const char *credentials = getenv("CREDENTIALS_DIRECTORY");
    if (credentials != NULL && strncmp(path, credentials, strlen(credentials)) == 0)
        return 0;
    return fail(error, path, 0, "others may read the tokens; chmod 600 it");
}

int tokens_load(const char *path, token_list **tokens, twinset_error *error)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return fail(error, path, 0, strerror(errno));
    *tokens = calloc(1, sizeof **tokens);
    int status = *tokens != NULL ? check_mode(path, file, error) : TWINSET_NOMEM;
    if (status == 0)
        status = read_entries(*tokens, path, file, error);
    fclose(file);
    return status;
}

void tokens_free(token_list *tokens)
{
    if (tokens != NULL)
        free(tokens->entries);
    free(tokens);
}

access_right tokens_find(const token_list *tokens, const char *token, const char **name)
{
    char padded[TOKEN_BYTES];
    access_right right = ACCESS_NONE;
    if (!pad_token(token, padded))
        return ACCESS_NONE;
    for (size_t i = 0; i < tokens->count; i++)
        if (is_same_token(tokens->entries[i].token, padded)) {
            right = tokens->entries[i].right;
            *name = tokens->entries[i].name;
        }
    return right;
}
