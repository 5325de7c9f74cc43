#define ISA_AVX512
#include "table.h"
