#define ISA_AVX2
#include "table.h"
