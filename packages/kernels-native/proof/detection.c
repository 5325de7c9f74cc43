// What native/cpu.c chooses on processors that are not here: CPUID and XGETBV answer from a table.
#include <cpuid.h>
#include <stdio.h>
#include <string.h>

enum { OSXSAVE = 1 << 27, FMA = 1 << 12, AVX2 = 1 << 5, AVX512F = 1 << 16 };
enum { NOTHING = 0x1, SSE_ONLY = 0x3, YMM = 0x7, ZMM = 0xe7, NO_UPPER_ZMM = 0x67 };

/** A processor, what the system saves of it, and the kernels that it gets: the best, and when it is limited to AVX2. */
typedef struct {
  const char *what;
  unsigned leaves, first, saved, seventh;
  const char *best, *limited;
} Processor;

static const Processor PROCESSORS[] = {
  {"everything", 7, OSXSAVE | FMA, ZMM, AVX2 | AVX512F, "avx512", "avx2"},
  {"AVX2 alone", 7, OSXSAVE | FMA, YMM, AVX2, "avx2", "avx2"},
  {"AVX2 alone, on a system that would save more", 7, OSXSAVE | FMA, ZMM, AVX2, "avx2", "avx2"},
  {"AVX-512 that the system does not save", 7, OSXSAVE | FMA, YMM, AVX2 | AVX512F, "avx2", "avx2"},
  {"AVX-512 of which the system saves a half", 7, OSXSAVE | FMA, NO_UPPER_ZMM, AVX2 | AVX512F, "avx2", "avx2"},
  {"AVX-512 without AVX2", 7, OSXSAVE | FMA, ZMM, AVX512F, 0, 0},
  {"wide registers that the system does not save", 7, OSXSAVE | FMA, SSE_ONLY, AVX2 | AVX512F, 0, 0},
  {"a system that saves nothing", 7, OSXSAVE | FMA, NOTHING, AVX2, 0, 0},
  {"a system without XGETBV", 7, FMA, ZMM, AVX2 | AVX512F, 0, 0},
  {"AVX2 without FMA", 7, OSXSAVE, ZMM, AVX2 | AVX512F, 0, 0},
  {"FMA without AVX2", 7, OSXSAVE | FMA, ZMM, 0, 0, 0},
  {"no leaf 7", 1, OSXSAVE | FMA, ZMM, AVX2, 0, 0},
  {"no CPUID to speak of", 0, OSXSAVE | FMA, ZMM, AVX2, 0, 0},
};

static const Processor *here;
static int failures = 0;

static int answer(unsigned leaf, unsigned *b, unsigned *c) {
  if (leaf > here->leaves) return 0;
  // Every bit that is not asked for is set: what is chosen must not depend on it.
  *c = leaf == 1 ? here->first | ~(unsigned)(OSXSAVE | FMA) : ~0u;
  *b = leaf == 7 ? here->seventh | ~(unsigned)(AVX2 | AVX512F) : ~0u;
  return 1;
}

static unsigned saved_registers(void) {
  if (here->first & OSXSAVE) return here->saved;
  printf("%s: XGETBV is not an instruction of it, and was run\n", here->what);
  failures++;
  return 0;
}

#define __get_cpuid(leaf, a, b, c, d) ((void)(a), (void)(d), answer(leaf, b, c))
#define __get_cpuid_count(leaf, part, a, b, c, d) ((void)(a), (void)(d), (part) == 0 && answer(leaf, b, c))
#define __asm__(...) (saved = saved_registers(), high = 0, (void)high)
#include "cpu.c"
#undef __asm__

static void expect(const char *most, const char *expected) {
  const Kernels *kernels = kernels_for(most);
  const char *name = kernels ? kernels->name : "none", *right = expected ? expected : "none";
  if (!strcmp(name, right)) return;
  printf("%s, limited to \"%s\": %s instead of %s\n", here->what, most, name, right);
  failures++;
}

int main(void) {
  const int count = sizeof PROCESSORS / sizeof *PROCESSORS;
  for (int i = 0; i < count; i++) {
    here = &PROCESSORS[i];
    expect("", here->best);
    expect("avx512", here->best);
    expect("avx2", here->limited);
    // What is not the name of a set limits nothing.
    expect("sse", here->best);
  }
  printf("%d processors, %d wrong choices\n", count, failures);
  return failures > 0;
}
