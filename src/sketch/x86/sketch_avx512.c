#include "common/x86/lanes_avx512.h"

#include "sketch/fss_template.h"
#include "sketch/slots_template.h"
