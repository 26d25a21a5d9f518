#include "common/arm/lanes_neon.h"

#include "sketch/fss_template.h"
#include "sketch/slots_template.h"
