#include "common/x86/lanes_avx2.h"

#include "common/sha1_template.h"
