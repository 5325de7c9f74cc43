// The room that kernels pack operands in: without it a call is declined and nothing has been written; what an earlier
// call has left in it changes no number; and it grows, aligned to a line of the cache.
#include <stdlib.h>
#include <string.h>

static int refuses = 0, asked = 0;
static void *maybe_malloc(size_t bytes) {
  asked++;
  return refuses ? 0 : malloc(bytes);
}
#define malloc maybe_malloc
#include "scratch.c"
#undef malloc
#include "cpu.h"
#include "draw.h"

static const char PACKING[] = "matMul product productPart sumOfProducts conv attention attentionGradient lstm lstmGradient gru gruGradient";
static int failures = 0;

static void check(int holds, const char *what, const char *where) {
  if (holds) return;
  failures++;
  printf("%s: %s\n", where, what);
}

static char start[FLOATS * 4], expected[FLOATS * 4], memory[FLOATS * 4];

static int run(const Entry *entry, const double *arguments, const Kernels *kernels, Scratch *scratch) {
  memcpy(memory, start, sizeof memory);
  return run_entry(entry, memory, sizeof memory, arguments, kernels, scratch);
}

/** Whether a call needs room. It is told from another by asking for some. */
static int check_call(const Entry *entry, const double *arguments, const Kernels *kernels) {
  Scratch own = {0, 0};
  asked = 0;
  if (run(entry, arguments, kernels, &own) != COMPUTED) return 0;
  const int packs = asked > 0;
  memcpy(expected, memory, sizeof memory);

  // Every bit is set: each float is NaN.
  if (packs) memset(own.memory, 0xff, own.floats * sizeof(float) + LINE);
  check(run(entry, arguments, kernels, &own) == COMPUTED, "is not computed a second time", entry->name);
  check(!memcmp(memory, expected, sizeof memory), "what was left in the room is in the result", entry->name);
  scratch_free(&own);

  Scratch none = {0, 0};
  refuses = 1;
  const int outcome = run(entry, arguments, kernels, &none);
  refuses = 0;
  check(outcome == (packs ? DECLINED : COMPUTED), "the outcome without memory is wrong", entry->name);
  check(!memcmp(memory, packs ? start : expected, sizeof memory), "wrote without room to work in", entry->name);
  check(!none.memory && !none.floats, "claims room that there is not", entry->name);
  check(run(entry, arguments, kernels, &none) == COMPUTED, "does not recover when there is memory again", entry->name);
  check(!memcmp(memory, expected, sizeof memory), "has other numbers when there is memory again", entry->name);
  scratch_free(&none);
  return packs;
}

static void check_kernel(const Entry *entry, const Kernels *kernels) {
  int packed = 0;
  for (int round = 0; round < 300; round++) {
    double arguments[MOST_ARGUMENTS] = {0};
    draw(entry, arguments);
    fill_with_numbers(start, sizeof start);
    packed += check_call(entry, arguments, kernels);
  }
  check(is_one_of(entry->name, PACKING) ? packed > 0 : packed == 0, "packs operands, or does not, against the list", entry->name);
}

static void check_growth(void) {
  Scratch s = {0, 0};
  for (size_t floats = 1; floats < 5000; floats = floats * 2 + 1) {
    float *at = scratch_take(&s, floats);
    check(at && (uintptr_t)at % LINE == 0, "is not aligned", "scratch");
    // The sanitizer ends the program where this is behind the end.
    memset(at, 1, floats * sizeof(float));
  }
  float *most = scratch_take(&s, 5000);
  check(scratch_take(&s, 10) == most && s.floats == 5000, "a smaller need moves it", "scratch");
  check(!scratch_take(&s, SIZE_MAX / sizeof(float)), "gives room for more than there is", "scratch");
  check(!s.memory && !s.floats, "keeps what it could not grow", "scratch");
  check(scratch_take(&s, 10) != 0, "gives nothing after that", "scratch");
  scratch_free(&s);
  scratch_free(&s);
  check(!s.memory && !s.floats, "keeps what was freed", "scratch");
}

int main(void) {
  static const char *const SETS[] = {"avx2", "avx512"};
  check_growth();
  for (int set = 0; set < 2; set++) {
    const Kernels *kernels = kernels_for(SETS[set]);
    if (!kernels || strcmp(kernels->name, SETS[set])) {
      printf("%s: this processor does not have it\n", SETS[set]);
      continue;
    }
    for (int i = 0; i < entry_count; i++) check_kernel(&entries[i], kernels);
  }
  printf("room to pack operands in: %d failures\n", failures);
  return failures > 0;
}
