#include "truth.h"

struct shingle {
    const char *bytes;
    uint32_t length;
    enum { NOWHERE, IN_FIRST, IN_SECOND, IN_BOTH } found;
};

static void start_unit(struct units *units)
{
    if (units->count + 2 > units->capacity) {
        units->capacity = 2 * units->capacity + 1024;
        units->starts = allocate(units->starts, units->capacity * sizeof *units->starts);
    }
    units->starts[units->count++] = units->text.count;
}

static void end_units(struct units *units)
{
    start_unit(units);
    units->count--;
}

static void add_byte(struct units *units, char byte)
{
    char lower = byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte;
    add(&units->text, &lower, 1);
}

/* Folds case, and squeezes spaces. Texts of the generator need no other normalisation. */
static void split_characters(struct units *units, const struct text *text)
{
    bool space = false;
    units->text.count = units->count = 0;
    for (size_t i = 0; i < text->count; i++) {
        char byte = text->bytes[i];
        if (byte == ' ' || byte == '\n') {
            space = units->count > 0;
            continue;
        }
        if (space) {
            start_unit(units);
            add_byte(units, ' ');
            space = false;
        }
        if ((byte & 0xc0) != 0x80)
            start_unit(units);
        add_byte(units, byte);
    }
    end_units(units);
}

static void split_words(struct units *units, const struct text *text)
{
    units->text.count = units->count = 0;
    for (size_t i = 0; i < text->count; i++) {
        if (!is_letter(text->bytes[i]))
            continue;
        if (i == 0 || !is_letter(text->bytes[i - 1]))
            start_unit(units);
        add_byte(units, text->bytes[i]);
        if (i + 1 == text->count || !is_letter(text->bytes[i + 1]))
            add_byte(units, ' ');
    }
    end_units(units);
}

static size_t count_shingles(const struct units *units, size_t k)
{
    return units->count < k ? units->count > 0 : units->count - k + 1;
}

static struct shingle get_shingle(const struct units *units, size_t i, size_t k)
{
    size_t last = i + k < units->count ? i + k : units->count;
    return (struct shingle){.bytes = units->text.bytes + units->starts[i],
                            .length = units->starts[last] - units->starts[i]};
}

static uint64_t hash_shingle(const struct shingle *shingle)
{
    uint64_t hash = shingle->length, word;
    uint32_t i = 0;
    for (; i + sizeof word <= shingle->length; i += sizeof word) {
        memcpy(&word, shingle->bytes + i, sizeof word);
        hash = mix(hash ^ word);
    }
    for (word = 0; i < shingle->length; i++)
        word = word << 8 | (uint8_t)shingle->bytes[i];
    return mix(hash ^ word);
}

/* The slot of a shingle, which is empty if the table does not have it. */
static struct shingle *find_slot(const struct table *table, const struct shingle *shingle)
{
    size_t i = hash_shingle(shingle) & (table->count - 1);
    for (; table->slots[i].found; i = (i + 1) & (table->count - 1))
        if (table->slots[i].length == shingle->length &&
            !memcmp(table->slots[i].bytes, shingle->bytes, shingle->length))
            break;
    return &table->slots[i];
}

static void clear_table(struct table *table, size_t shingles)
{
    for (table->count = 64; table->count < 2 * shingles;)
        table->count *= 2;
    if (table->count > table->capacity) {
        table->capacity = table->count;
        table->slots = allocate(table->slots, table->capacity * sizeof *table->slots);
    }
    memset(table->slots, 0, table->count * sizeof *table->slots);
}

static double jaccard(struct table *table, const struct units *a, const struct units *b, size_t k)
{
    size_t a_count = count_shingles(a, k), b_count = count_shingles(b, k);
    size_t shared = 0, all = 0;
    clear_table(table, a_count + b_count);
    for (size_t i = 0; i < a_count + b_count; i++) {
        bool first = i < a_count;
        struct shingle shingle = first ? get_shingle(a, i, k) : get_shingle(b, i - a_count, k);
        struct shingle *slot = find_slot(table, &shingle);
        if (!slot->found) {
            *slot = shingle;
            slot->found = first ? IN_FIRST : IN_SECOND;
            all++;
        } else if (slot->found == IN_FIRST && !first) {
            slot->found = IN_BOTH;
            shared++;
        }
    }
    return all ? (double)shared / all : 0;
}

void print_similarities(struct scorer *scorer, const struct text *a, const struct text *b, FILE *to)
{
    split_characters(&scorer->a, a);
    split_characters(&scorer->b, b);
    double by_characters = jaccard(&scorer->table, &scorer->a, &scorer->b, 9);
    split_words(&scorer->a, a);
    split_words(&scorer->b, b);
    double by_words = jaccard(&scorer->table, &scorer->a, &scorer->b, 5);
    fprintf(to, "\t%.15g\t%.15g\n", by_characters, by_words);
}

void score_pairs(struct maker *maker, FILE *pairs)
{
    struct text a = {0}, b = {0};
    struct scorer scorer = {0};
    uint64_t first, second, last = maker->collection->documents - (maker->collection->huge > 0);
    char line[200];
    fputs("a\tb\tjaccard\tjaccard_words\n", stdout);
    while (fgets(line, sizeof line, pairs)) {
        if (sscanf(line, "d%" SCNu64 "\td%" SCNu64, &first, &second) != 2 || first >= last ||
            second >= last)
            fail("not a pair of this collection's ids:", line);
        write_document(maker, first, &a);
        write_document(maker, second, &b);
        printf(ID "\t" ID, first, second);
        print_similarities(&scorer, &a, &b, stdout);
    }
}
