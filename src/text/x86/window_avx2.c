#include "x86/lanes_avx2.h"

#include "window_template.h"
