/*
 * A program in C++ that links libtwinset.a, to show that their symbols do not collide: both have
 * inline functions of simdjson and of the standard library, and the program has a function with the
 * name of an internal function of the library. `script/test install` builds and runs it.
 */
#include <simdjson.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <twinset.h>

static unsigned calls;

extern "C" void *tw_malloc(size_t size)
{
    calls++;
    return std::malloc(size);
}

static bool parses_json()
{
    simdjson::ondemand::parser parser;
    simdjson::padded_string line = std::string("{\"text\": \"abc\"}");
    simdjson::ondemand::document document = parser.iterate(line);
    std::string_view text = document["text"].get_string();
    return text == "abc";
}

int main()
{
    std::string a = "the cat sat on the mat", b = "the cat sat on the hat";
    twinset_pair pair;
    twinset_error error;
    if (twinset_compare(a.data(), a.size(), b.data(), b.size(), nullptr, &pair, sizeof pair,
                        &error) != 0) {
        std::fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    bool right = pair.shared > 0 && pair.shared < pair.union_count && parses_json() && calls == 0;
    if (!right)
        std::fprintf(stderr, "%g, and %u calls of tw_malloc\n", pair.similarity, calls);
    return right ? 0 : 1;
}
