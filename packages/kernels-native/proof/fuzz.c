// Calls every kernel with random arguments, right ones and wrong ones, on a memory that ends where the furthest of its
// operands does. Compiled with sanitizers: whatever a kernel reads or writes beyond the memory ends the program.
#include <stdlib.h>
#include "cpu.h"
#include "draw.h"

/** On a memory of exactly so many bytes, which the sanitizer guards. */
static int run_on(const Entry *entry, const double *arguments, uint64_t bytes, const Kernels *kernels, Scratch *scratch) {
  char *memory = malloc(bytes);
  fill_with_numbers(memory, bytes);
  const int outcome = run_entry(entry, memory, bytes, arguments, kernels, scratch);
  free(memory);
  return outcome;
}

int main(int count, char **text) {
  const long rounds = count > 1 ? atol(text[1]) : 2000;
  if (count > 2) seed = strtoull(text[2], 0, 10) * 2654435761u + 1;
  static const char *const SETS[] = {"avx2", "avx512"};
  int failed = 0;
  for (int set = 0; set < 2; set++) {
    const Kernels *kernels = kernels_for(SETS[set]);
    if (!kernels || strcmp(kernels->name, SETS[set])) {
      printf("%s: this processor does not have it\n", SETS[set]);
      continue;
    }
    for (int i = 0; i < entry_count; i++) {
      const Entry *entry = &entries[i];
      Scratch scratch = {0, 0};
      long computed = 0, declined = 0, refused = 0;
      for (long round = 0; round < rounds; round++) {
        double arguments[MOST_ARGUMENTS] = {0};
        draw(entry, arguments);
        const int outcome = run_on(entry, arguments, FLOATS * 4, kernels, &scratch);
        if (outcome == DECLINED) declined++;
        if (outcome > 0) refused++;
        if (outcome != COMPUTED) continue;
        computed++;
        // The smallest memory that it is computed on: one byte less is refused.
        uint64_t low = 0, high = FLOATS * 4;
        while (high - low > 1) {
          const uint64_t middle = (low + high) / 2;
          if (run_on(entry, arguments, middle, kernels, &scratch) == COMPUTED) high = middle;
          else low = middle;
        }
      }
      printf("%s %s: %ld computed, %ld declined, %ld refused\n", kernels->name, entry->name, computed, declined, refused);
      if (!computed || !refused) failed = 1;
      scratch_free(&scratch);
    }
  }
  if (failed) printf("a kernel was never reached, or nothing was refused: the arguments say nothing about it\n");
  return failed;
}
