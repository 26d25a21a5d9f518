#include "x86/lanes_avx512.h"

#include "fss_template.h"
#include "slots_template.h"
