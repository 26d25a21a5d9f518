#include "x86/lanes_avx512.h"

#include "window_template.h"
