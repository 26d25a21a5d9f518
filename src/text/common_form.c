#include "common_form.h"

#include <string.h>

#include "coding.h"

/* Of several endings that fit, the first counts. */
static const struct {
    const char *ending;
    tw_common_class class;
} endings[] = {
    {"type", TW_COMMON_OMITTED},
    {"type_identifier", TW_COMMON_OMITTED},
    {"types", TW_COMMON_OMITTED},
    {"type_arguments", TW_COMMON_OMITTED},
    {"type_argument_list", TW_COMMON_OMITTED},
    {"type_parameters", TW_COMMON_OMITTED},
    {"type_parameter_list", TW_COMMON_OMITTED},
    {"template_argument_list", TW_COMMON_OMITTED},
    {"template_parameter_list", TW_COMMON_OMITTED},
    {"type_annotation", TW_COMMON_OMITTED},
    {"type_specifier", TW_COMMON_OMITTED},
    {"type_qualifier", TW_COMMON_OMITTED},
    {"type_definition", TW_COMMON_OMITTED},
    {"type_list", TW_COMMON_OMITTED},
    {"alias", TW_COMMON_OMITTED},
    {"alias_declaration", TW_COMMON_OMITTED},
    {"using_declaration", TW_COMMON_OMITTED},
    {"package_clause", TW_COMMON_OMITTED},
    {"modifiers", TW_COMMON_OMITTED},
    {"modifier", TW_COMMON_OMITTED},
    {"storage_class_specifier", TW_COMMON_OMITTED},
    {"annotation", TW_COMMON_OMITTED},
    {"decorator", TW_COMMON_OMITTED},
    {"attribute_list", TW_COMMON_OMITTED},
    {"attribute_item", TW_COMMON_OMITTED},
    {"attribute_declaration", TW_COMMON_OMITTED},
    {"superclass", TW_COMMON_OMITTED},
    {"super_interfaces", TW_COMMON_OMITTED},
    {"throws", TW_COMMON_OMITTED},

    {"bracketed_argument_list", TW_COMMON_INDEX},
    {"subscript_argument_list", TW_COMMON_INDEX},
    {"subscript", TW_COMMON_INDEX},
    {"subscript_expression", TW_COMMON_INDEX},
    {"array_access", TW_COMMON_INDEX},
    {"index_expression", TW_COMMON_INDEX},
    {"indexing_suffix", TW_COMMON_INDEX},
    {"element_reference", TW_COMMON_INDEX},

    {"pointer_declarator", TW_COMMON_POINTER},
    {"reference_declarator", TW_COMMON_POINTER},
    {"pointer_expression", TW_COMMON_POINTER},

    {"arguments", TW_COMMON_CALL},
    {"argument_list", TW_COMMON_CALL},
    {"parameters", TW_COMMON_FUNCTION},
    {"parameter_list", TW_COMMON_FUNCTION},
};

/* Nodes that declare variables, by their whole names: others that end so have names of their own.
 */
static const char *const declarations[] = {"declaration", "field_declaration",
                                           "variable_declarator"};

/* The forms, and the words and signs of all languages that have each, between spaces. */
static const struct {
    const char *form, *words;
} forms[] = {
    {"=", " = := "},
    {"==", " == === "},
    {"!=", " != !== ~= <> "},
    {"<", " < "},
    {"<=", " <= "},
    {">", " > "},
    {">=", " >= "},
    {"+", " + "},
    {"-", " - "},
    {"*", " * "},
    {"/", " / // "},
    {"%", " % %% "},
    {"**", " ** ^^ "},
    {"&", " & "},
    {"|", " | "},
    {"^", " ^ "},
    {"~", " ~ "},
    {"<<", " << "},
    {">>", " >> >>> "},
    {"+=", " += ++ "},
    {"-=", " -= -- "},
    {"*=", " *= "},
    {"/=", " /= //= "},
    {"%=", " %= "},
    {"and", " && and "},
    {"or", " || or "},
    {"not", " ! not "},
    {"if", " if elif elsif elseif unless case when ? "},
    {"loop", " for foreach while until loop repeat "},
    {"return", " return "},
    {"break", " break last "},
    {"continue", " continue next "},
    {"yield", " yield "},
    {"throw", " throw raise "},
    {"try", " try "},
    {"catch", " catch except rescue "},
    {"class", " class struct interface trait "},
    {"function", " lambda => "},
    {"in", " in "},
    {"true", " true True TRUE "},
    {"false", " false False FALSE "},
    {"null", " null None nil nullptr NULL "},
};

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), size = strlen(ending);
    return length >= size && strcmp(name + length - size, ending) == 0 &&
           (length == size || name[length - size - 1] == '_');
}

tw_common_class tw_common_classify(const char *name)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(name, endings[i].ending))
            return endings[i].class;
    for (size_t i = 0; i < sizeof declarations / sizeof *declarations; i++)
        if (strcmp(name, declarations[i]) == 0)
            return TW_COMMON_DECLARATION;
    return TW_COMMON_OTHER;
}

/* Whether a list has a word. */
static bool has_word(const char *list, const char *word, size_t length)
{
    char padded[16] = " ";
    if (length > sizeof padded - 3)
        return false;
    memcpy(padded + 1, word, length);
    memcpy(padded + length + 1, " ", 2);
    return strstr(list, padded) != NULL;
}

const char *tw_common_form(const char *text, size_t length, tw_common_class parent)
{
    if (*text == '(' && length == 1)
        return parent == TW_COMMON_CALL ? "call" : parent == TW_COMMON_FUNCTION ? "function" : NULL;
    if (*text == '[' && length == 1)
        return parent == TW_COMMON_INDEX ? "index" : NULL;
    if (parent == TW_COMMON_POINTER)
        return NULL;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (has_word(forms[i].words, text, length))
            return forms[i].form;
    return NULL;
}
