#include "common/x86/lanes_avx512.h"

#include "text/window_template.h"
