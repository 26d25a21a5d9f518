/* What compilers can be asked to check or to expect, where they know how. */
#ifndef TW_ATTRIBUTES_H
#define TW_ATTRIBUTES_H

#if defined(__GNUC__)
/* The caller must look at the result. */
#define TW_CHECKED __attribute__((warn_unused_result))
/* The arguments from number `first` on must fit the template, the argument number `template`. */
#define TW_PRINTF(template, first) __attribute__((format(printf, template, first)))
/* The condition is nearly always false. */
#define TW_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#else
#define TW_CHECKED
#define TW_PRINTF(template, first)
#define TW_UNLIKELY(condition) (condition)
#endif

#endif
