#include "common/arm/lanes_neon.h"

#include "text/window_template.h"
