#include "arm/lanes_neon.h"

#include "fss_template.h"
#include "slots_template.h"
