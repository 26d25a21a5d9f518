/*
 * Records which functions a program enters: a build with -finstrument-functions calls the hook
 * below at the start of every function. At its end, the program writes the distinct addresses of
 * these functions to the file that TWINSET_TRACE names, in the order of their first calls.
 * tests/docs/walks.py reads them.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CAPACITY = 1 << 14 }; /* a power of 2, and several times the functions of a run */

static void *functions[CAPACITY];
static unsigned table[CAPACITY]; /* hash table of the numbers of functions, from 1 */
static unsigned count;
static atomic_flag busy = ATOMIC_FLAG_INIT;

#define UNTRACED __attribute__((no_instrument_function))

UNTRACED void __cyg_profile_func_enter(void *function, void *caller);
UNTRACED void __cyg_profile_func_exit(void *function, void *caller);

UNTRACED void __cyg_profile_func_enter(void *function, void *caller)
{
    size_t slot = ((uintptr_t)function * 0x9E3779B97F4A7C15 >> 32) % CAPACITY;
    (void)caller;
    while (atomic_flag_test_and_set(&busy))
        ;
    while (table[slot] && functions[table[slot] - 1] != function)
        slot = (slot + 1) % CAPACITY;
    if (!table[slot] && count < CAPACITY / 2) {
        functions[count] = function;
        table[slot] = ++count;
    }
    atomic_flag_clear(&busy);
}

UNTRACED void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function;
    (void)caller;
}

UNTRACED static void __attribute__((destructor)) write_functions(void)
{
    const char *path = getenv("TWINSET_TRACE");
    FILE *file = path ? fopen(path, "w") : NULL;
    for (unsigned i = 0; file && i < count; i++)
        fprintf(file, "%p\n", functions[i]);
    if (file)
        fclose(file);
}
