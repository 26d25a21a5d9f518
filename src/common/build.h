/* Which build of the library this is. */
#ifndef TW_BUILD_H
#define TW_BUILD_H

/* A digest of all source files and of the grammars, if there are any; cmake/build_id.cmake computes
 * it. A checkpoint of one build is not continued by another. */
const char *tw_build_id(void);

#endif
