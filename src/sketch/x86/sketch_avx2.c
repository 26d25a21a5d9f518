#include "common/x86/lanes_avx2.h"

#include "sketch/fss_template.h"
#include "sketch/slots_template.h"
