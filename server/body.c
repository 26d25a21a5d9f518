/* Bodies as JSON, by jansson. */
#include "http.h"

#include <string.h>

json_t *body_parse(http_request *request, const char *text, size_t length, size_t flags)
{
    json_error_t error;
    if (json_is_bloated(text, length)) {
        reply_error(request, MHD_HTTP_UNPROCESSABLE_CONTENT,
                    "The JSON has more than 10,000 values.");
        return NULL;
    }
    json_t *value =
        json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | flags, &error);
    if (value == NULL)
        reply_error(request, MHD_HTTP_BAD_REQUEST, "The body is not JSON: %s (line %d, column %d).",
                    error.text, error.line, error.column);
    else if (!json_is_object(value))
        reply_error(request, MHD_HTTP_UNPROCESSABLE_CONTENT, "The body is not a JSON object.");
    else
        return value;
    json_decref(value);
    return NULL;
}

const char *body_string(http_request *request, const json_t *object, const char *name, bool needed,
                        size_t *length)
{
    const json_t *value = json_object_get(object, name);
    if (value == NULL && needed)
        reply_error(request, MHD_HTTP_UNPROCESSABLE_CONTENT, "\"%s\" is missing.", name);
    else if (value != NULL && !json_is_string(value))
        reply_error(request, MHD_HTTP_UNPROCESSABLE_CONTENT, "\"%s\" is not a string.", name);
    if (!json_is_string(value))
        return NULL;
    *length = json_string_length(value);
    return json_string_value(value);
}

double body_share(http_request *request, const json_t *object, const char *name, double otherwise)
{
    const json_t *value = json_object_get(object, name);
    double share = value != NULL ? json_number_value(value) : otherwise;
    if (value != NULL && (!json_is_number(value) || !(share >= 0 && share <= 1)))
        reply_error(request, MHD_HTTP_UNPROCESSABLE_CONTENT, "\"%s\" is not a number from 0 to 1.",
                    name);
    return share;
}

bool body_has_only(http_request *request, const json_t *object, const char *const *names)
{
    /* jansson has no iterator for constant objects. */
    json_t *members = (json_t *)(uintptr_t)object;
    for (void *at = json_object_iter(members); at != NULL;
         at = json_object_iter_next(members, at)) {
        const char *const *name = names;
        while (*name != NULL && strcmp(*name, json_object_iter_key(at)) != 0)
            name++;
        if (*name == NULL) {
            reply_error(request, MHD_HTTP_UNPROCESSABLE_CONTENT, "\"%.100s\" is not known here.",
                        json_object_iter_key(at));
            return false;
        }
    }
    return true;
}
