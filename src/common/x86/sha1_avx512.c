#include "x86/lanes_avx512.h"

#include "sha1_template.h"
