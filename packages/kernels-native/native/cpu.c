// By hand: what compilers offer for this needs a library that not every linker has. The system must save the wider
// registers too, which XGETBV says.
#include "cpu.h"
#include <cpuid.h>
#include <string.h>

enum { XSAVE_BIT = 1 << 27, FMA_BIT = 1 << 12, AVX2_BIT = 1 << 5, AVX512F_BIT = 1 << 16 };
enum { SAVES_AVX = 0x6, SAVES_AVX512 = 0xe6 };

const Kernels *kernels_for(const char *most) {
  unsigned a, b, c, d, saved, high;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & XSAVE_BIT) || !(c & FMA_BIT)) return 0;
  __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
  const int avx2 = (saved & SAVES_AVX) == SAVES_AVX && b & AVX2_BIT;
  const int avx512 = avx2 && (saved & SAVES_AVX512) == SAVES_AVX512 && b & AVX512F_BIT;
  if (avx512 && strcmp(most, "avx2") != 0) return &kernels_avx512;
  return avx2 ? &kernels_avx2 : 0;
}
