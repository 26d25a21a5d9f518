/*
 * Digests, mixers and generators compared with published values of their authors and of programs
 * that use them. Values that are not published were computed by Python's hashlib, numpy 2.4, and
 * datasketch 1.10.0 and 2.0.0.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "datasketch.h"
#include "dice.h"
#include "digest.h"

static void to_hex(const uint8_t *bytes, size_t count, char *hex)
{
    for (size_t i = 0; i < count; i++) {
        *hex++ = "0123456789abcdef"[bytes[i] >> 4];
        *hex++ = "0123456789abcdef"[bytes[i] & 15];
    }
    *hex = '\0';
}

static void assert_md5(const void *data, size_t length, const char *expected)
{
    uint8_t digest[16];
    char hex[33];

    tw_md5(data, length, digest);
    to_hex(digest, sizeof digest, hex);
    assert_string_equal(hex, expected);
}

static void assert_sha1(const void *data, size_t length, const char *expected)
{
    uint8_t digest[20];
    char hex[41];

    tw_sha1(data, length, digest);
    to_hex(digest, sizeof digest, hex);
    assert_string_equal(hex, expected);
}

static void md5_gives_the_digests_of_rfc_1321(void **state)
{
    static const char *const vectors[][2] = {
        {"", "d41d8cd98f00b204e9800998ecf8427e"},
        {"a", "0cc175b9c0f1b6a831c399e269772661"},
        {"abc", "900150983cd24fb0d6963f7d28e17f72"},
        {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
        {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
        {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
         "d174ab98d277d9f5a5611c2c9f419d9f"},
        {"1234567890123456789012345678901234567890"
         "1234567890123456789012345678901234567890",
         "57edf4a22be3c955ac49da2e2107b67a"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(vectors); i++)
        assert_md5(vectors[i][0], strlen(vectors[i][0]), vectors[i][1]);
}

static void sha1_gives_the_digests_of_rfc_3174(void **state)
{
    static const char *const vectors[][2] = {
        {"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
        {"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
    };
    char eighty_times[640];

    (void)state;
    for (size_t i = 0; i < COUNT(vectors); i++)
        assert_sha1(vectors[i][0], strlen(vectors[i][0]), vectors[i][1]);
    for (size_t i = 0; i < sizeof eighty_times; i++)
        eighty_times[i] = (char)('0' + i % 8);
    assert_sha1(eighty_times, sizeof eighty_times, "dea356a2cddd90c7a7ecedc5ebb563934f460452");
}

static void digests_are_right_around_every_block_boundary(void **state)
{
    static const struct {
        size_t length;
        const char *md5, *sha1;
    } vectors[] = {
        {1, "8666683506aacd900bbd5a74ac4edf68", "9842926af7ca0a8cca12604f945414f07b01e13d"},
        {55, "52c0e574e1198de5fe3f8f11440dcb1b", "ddf57317ef34bfee3b6df83d359098930eb278bc"},
        {56, "46c9907fc908ee68b1e7b8e71286a518", "a0d492bb0fc889d0eca3bc137066ab6f4f74f369"},
        {57, "1c805dd236c35cab25fcb1bc73802c51", "11a02dcf95859677a62e75024067c22b165d890f"},
        {63, "a62f6d59e837867693f042f5b8f5a236", "c55856749bef509bdfe6bfebfc7bf4e793e82132"},
        {64, "7160b8fb5e9e4023d549c3971fbaeead", "bede92be29c3874e1b54ddc77988d606fc857a8e"},
        {65, "70bd662e7aefbda85a0f7244167b7897", "b05a80522b053d6dc7e0a517d0e70212c7dad11f"},
        {119, "e84905d4214f4d1ca56c2cdcc152b143", "504e27376a6e0f0dba8295b85cb25dc4dfa17d23"},
        {120, "e3eb5a6c8669ea01a8c185b8abc8a5dc", "82134b02fb3f702491be9bed581eeab59334acb2"},
        {127, "acce2474d6cc8302120d09c818d17ef7", "34d5e582029e9b9b85b2febe31da3db7cdabaaea"},
        {128, "10b2da1a82f16d99a81a7203fe9f02cb", "a09133e6730ffe899efb70204cb5646cd5dc24ee"},
        {1000, "10046f077f2082ac19676b8079f1cb1a", "4231a8a50a10fa9758db8ec71fdef855b751048a"},
    };
    uint8_t shifted[1001];
    uint8_t *data = shifted + 1; /* no word is aligned */

    (void)state;
    for (size_t i = 0; i < 1000; i++)
        data[i] = (uint8_t)(7 * i + 3);
    for (size_t i = 0; i < COUNT(vectors); i++) {
        assert_md5(data, vectors[i].length, vectors[i].md5);
        assert_sha1(data, vectors[i].length, vectors[i].sha1);
    }
}

static void an_empty_input_may_be_null(void **state)
{
    (void)state;
    assert_md5(NULL, 0, "d41d8cd98f00b204e9800998ecf8427e");
    assert_sha1(NULL, 0, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    assert_int_equal(tw_murmur3_32(NULL, 0, 1), 0x514e28b7);
}

static void murmur3_gives_the_known_hashes(void **state)
{
    static const struct {
        const char *text;
        uint32_t seed, hash;
    } vectors[] = {
        {"", 0, 0},
        {"", 1, 0x514e28b7},
        {"", 0xffffffff, 0x81f16f39},
        {"\x21", 0, 0x72661cf4},
        {"\x21\x43", 0, 0xa0f7b07a},
        {"\x21\x43\x65", 0, 0x7e4a8634},
        {"\x21\x43\x65\x87", 0, 0xf55b516b},
        {"hello", 0, 0x248bfa47},
        {"hello, world", 0, 0x149bbb7f},
        {"The quick brown fox jumps over the lazy dog", 0, 0x2e4ff723},
        {"The quick brown fox jumps over the lazy dog", 0x9747b28c, 0x2fa826cd},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(vectors); i++)
        assert_int_equal(tw_murmur3_32(vectors[i].text, strlen(vectors[i].text), vectors[i].seed),
                         vectors[i].hash);
    assert_int_equal(tw_murmur3_32("\0\0\0\0", 4, 0), 0x2362f9de);
}

/* The verification value of SMHasher, the hash's own test suite: the hash of the hashes of 0, 0 1,
 * 0 1 2, ... with seeds from 256 down. */
static void murmur3_has_the_verification_value_of_smhasher(void **state)
{
    uint8_t key[256], hashes[256 * 4];

    (void)state;
    for (unsigned i = 0; i < 256; i++) {
        key[i] = (uint8_t)i;
        uint32_t hash = tw_murmur3_32(key, i, 256 - i);
        for (unsigned byte = 0; byte < 4; byte++)
            hashes[4 * i + byte] = (uint8_t)(hash >> 8 * byte);
    }
    assert_int_equal(tw_murmur3_32(hashes, sizeof hashes, 0), 0xb0f57ee3);
}

static void mixers_give_the_known_values(void **state)
{
    static const uint64_t from_1234567[] = {
        UINT64_C(6457827717110365317),  UINT64_C(3203168211198807973),
        UINT64_C(9817491932198370423),  UINT64_C(4593380528125082431),
        UINT64_C(16408922859458223821),
    };
    uint64_t generator = 0;

    (void)state;
    assert_int_equal(tw_fmix32(0), 0);
    assert_int_equal(tw_fmix32(1), 0x514e28b7);
    assert_int_equal(tw_fmix32(0xffffffff), 0x81f16f39);

    assert_int_equal(tw_mix64(0), 0);
    assert_true(tw_splitmix64(&generator) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(generator == UINT64_C(0x9e3779b97f4a7c15));
    assert_true(tw_mix64(generator) == UINT64_C(0xe220a8397b1dcdaf));
    generator = 1234567;
    for (size_t i = 0; i < COUNT(from_1234567); i++)
        assert_true(tw_splitmix64(&generator) == from_1234567[i]);
}

/* Jenkins' lookup2 of "hello world", 447289830, is a single mix: the text as three
 * little-endian words, on top of the golden ratio twice and of the length. */
static void jenkins_mix_makes_the_hash_lookup2(void **state)
{
    const uint32_t golden = 0x9e3779b9;
    const uint32_t hell = 0x6c6c6568, o_wo = 0x6f77206f, rld = 0x646c7200;

    (void)state;
    assert_int_equal(tw_jenkins_mix(golden + hell, golden + o_wo, 11 + rld), 447289830);
}

static void mersenne_twister_gives_the_known_sequence(void **state)
{
    static const struct {
        unsigned index;
        uint32_t value;
    } known[] = {{1, 3499211612}, {624, 4020325887}, {625, 4178893912}, {10000, 4123659995}};
    tw_mt19937 generator;
    unsigned drawn = 0;
    uint32_t value = 0;

    (void)state;
    tw_mt19937_seed(&generator, 5489);
    for (size_t i = 0; i < COUNT(known); i++) {
        for (; drawn < known[i].index; drawn++)
            value = tw_mt19937_next(&generator);
        assert_int_equal(value, known[i].value);
    }
}

/* The tests compare the first and last of MinHash(200, seed).permutations: 800 draws, more than the
 * generator makes at a time. */
enum { PERMUTATIONS = 200 };

static void datasketch1_parameters_are_those_of_the_package(void **state)
{
    static const struct {
        uint32_t seed;
        uint64_t a[4], b[4], last_a, last_b;
    } vectors[] = {
        {1,
         {0x0ac1f425ff4780ec, 0x00077eff20ccc38a, 0x0591cb4f3c7053c1, 0x0faebfcc634e1e48},
         {0x18672f8ceebc1448, 0x0d65aacbffc11e85, 0x17a3809065865081, 0x1876aaedab7479fc},
         0x02da2aebe75273b4,
         0x0a7bd1563832bb0f},
        {7,
         {0x1388f0af3a32e4c5, 0x103b9643fa6cd0d4, 0x1a5d855c4ed9ecba, 0x00496e481634d15a},
         {0x07a8c21951a829f6, 0x1935039774a13667, 0x09dadd8e438d0a17, 0x1271f16e6b5bfa2a},
         0x0fec1ee786aaec3f,
         0x05250c0005d5f9ea},
        {0xffffffff,
         {0x18fe69a31c924123, 0x09fe37b486bcfe41, 0x0497b1d948977f21, 0x17da56f2b20c386c},
         {0x0991ec0c900cac47, 0x07ae50d6c54701fa, 0x18318a7f811f727b, 0x0567ef0bb30728ca},
         0x1f5bf3627c18e769,
         0x1f5bc5bd15154f31},
    };
    uint64_t a[PERMUTATIONS], b[PERMUTATIONS];

    (void)state;
    for (size_t i = 0; i < COUNT(vectors); i++) {
        tw_datasketch1_parameters(vectors[i].seed, PERMUTATIONS, a, b);
        assert_memory_equal(a, vectors[i].a, sizeof vectors[i].a);
        assert_memory_equal(b, vectors[i].b, sizeof vectors[i].b);
        assert_true(a[PERMUTATIONS - 1] == vectors[i].last_a);
        assert_true(b[PERMUTATIONS - 1] == vectors[i].last_b);
    }
}

static void datasketch2_parameters_are_those_of_the_package(void **state)
{
    static const struct {
        uint32_t seed;
        uint32_t a[4], b[4], last_a, last_b;
    } vectors[] = {
        {1,
         {0xd583e84b, 0xfe8f01d7, 0x70ce5f19, 0xdd782891},
         {0x539f0014, 0x94215a76, 0x86ed47b0, 0x024e5916},
         0x4e4cd155,
         0x65c9da47},
        {7,
         {0x2711e15f, 0x7465c989, 0x8f518433, 0xa35053ed},
         {0x11ba80e9, 0x7efaf94b, 0x5b68fb06, 0x791a2f78},
         0x48147499,
         0x89d64685},
        {0xffffffff,
         {0x31fcd347, 0x39248245, 0xd323d819, 0x2019588f},
         {0x403fbc2a, 0xa339245c, 0x01dd8081, 0x7c5a9763},
         0x3f1e5d45,
         0x443cb9c0},
    };
    uint32_t a[PERMUTATIONS], b[PERMUTATIONS];

    (void)state;
    for (size_t i = 0; i < COUNT(vectors); i++) {
        tw_datasketch2_parameters(vectors[i].seed, PERMUTATIONS, a, b);
        assert_memory_equal(a, vectors[i].a, sizeof vectors[i].a);
        assert_memory_equal(b, vectors[i].b, sizeof vectors[i].b);
        assert_int_equal(a[PERMUTATIONS - 1], vectors[i].last_a);
        assert_int_equal(b[PERMUTATIONS - 1], vectors[i].last_b);
    }
}

/* The values of MinHash(4, 1).update(b"Hello"), computed from SHA-1 and the parameters as by
 * datasketch 1. */
static void datasketch1_example_has_the_known_values(void **state)
{
    static const uint32_t expected[4] = {734825475, 960773806, 359816889, 342714745};
    const uint64_t prime = (UINT64_C(1) << 61) - 1;
    uint64_t a[4], b[4];
    uint8_t digest[20];

    (void)state;
    tw_sha1("Hello", 5, digest);
    uint32_t hash = (uint32_t)digest[0] | (uint32_t)digest[1] << 8 | (uint32_t)digest[2] << 16 |
                    (uint32_t)digest[3] << 24;
    tw_datasketch1_parameters(1, 4, a, b);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal((uint32_t)((a[i] * hash + b[i]) % prime), expected[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(md5_gives_the_digests_of_rfc_1321),
        cmocka_unit_test(sha1_gives_the_digests_of_rfc_3174),
        cmocka_unit_test(digests_are_right_around_every_block_boundary),
        cmocka_unit_test(an_empty_input_may_be_null),
        cmocka_unit_test(murmur3_gives_the_known_hashes),
        cmocka_unit_test(murmur3_has_the_verification_value_of_smhasher),
        cmocka_unit_test(mixers_give_the_known_values),
        cmocka_unit_test(jenkins_mix_makes_the_hash_lookup2),
        cmocka_unit_test(mersenne_twister_gives_the_known_sequence),
        cmocka_unit_test(datasketch1_parameters_are_those_of_the_package),
        cmocka_unit_test(datasketch2_parameters_are_those_of_the_package),
        cmocka_unit_test(datasketch1_example_has_the_known_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
