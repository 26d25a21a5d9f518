/* Which build of the library this is. */
#ifndef TW_BUILD_H
#define TW_BUILD_H

/* A digest of all source files and of the grammars, or that there are none, which the build writes
 * (cmake/build_id.cmake): what one build left behind is not for another to go on from. */
const char *tw_build_id(void);

#endif
