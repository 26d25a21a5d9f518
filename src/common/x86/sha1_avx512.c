#include "common/x86/lanes_avx512.h"

#include "common/sha1_template.h"
