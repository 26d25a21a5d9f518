#include "common/arm/lanes_neon.h"

#include "common/sha1_template.h"
