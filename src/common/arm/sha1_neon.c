#include "arm/lanes_neon.h"

#include "sha1_template.h"
