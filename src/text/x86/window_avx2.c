#include "common/x86/lanes_avx2.h"

#include "text/window_template.h"
