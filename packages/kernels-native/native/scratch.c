#include <stdint.h>
#include <stdlib.h>
#include "kernels.h"

enum { LINE = 64 };

float *scratch_take(Scratch *scratch, size_t floats) {
  if (floats > scratch->floats) {
    free(scratch->memory);
    scratch->memory = 0;
    scratch->floats = 0;
    if (floats > (SIZE_MAX - LINE) / sizeof(float)) return 0;
    scratch->memory = malloc(floats * sizeof(float) + LINE);
    if (!scratch->memory) return 0;
    scratch->floats = floats;
  }
  return (float *)(((uintptr_t)scratch->memory + LINE - 1) & ~(uintptr_t)(LINE - 1));
}

void scratch_free(Scratch *scratch) {
  free(scratch->memory);
  scratch->memory = 0;
  scratch->floats = 0;
}
