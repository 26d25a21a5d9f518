#include "arm/lanes_neon.h"

#include "window_template.h"
