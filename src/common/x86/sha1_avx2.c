#include "x86/lanes_avx2.h"

#include "sha1_template.h"
