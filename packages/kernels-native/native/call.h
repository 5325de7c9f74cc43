// A call of a kernel with arguments from outside: numbers, none of which is trusted.
#ifndef CALL_H
#define CALL_H
#include <stdint.h>
#include "kernels.h"

enum { MOST_ARGUMENTS = 32 };

/** The outcome of a call. A positive number is the place of the first wrong argument, counted from 1. */
enum { COMPUTED = 0, DECLINED = -1 };

typedef struct {
  char *memory;
  uint64_t bytes;
  const double *arguments;
  const Kernels *kernels;
  Scratch *scratch;
  int wrong, declined;
} Call;

typedef struct {
  const char *name;
  /** The names of its arguments, in order, for messages. */
  const char *arguments;
  void (*run)(Call *);
} Entry;

extern const Entry entries[];
extern const int entry_count;

/**
 * Runs an entry on `memory`. Every address and every size is checked first: a kernel sees only what lies in the memory.
 * DECLINED when there is nothing to compute, when there is no memory to pack operands in, or when a shape is one that
 * these kernels leave to others; nothing has been written then.
 */
int run_entry(const Entry *, char *memory, uint64_t bytes, const double *arguments, const Kernels *, Scratch *);

/** A size: a whole number that is not negative. Zero declines the call. */
int size_at(Call *, int place);
/** A whole number of either sign, such as a padding. */
int whole_at(Call *, int place);
/** A step between numbers: a whole number that is not negative. */
int step_at(Call *, int place);
int flag_at(Call *, int place);
float float_at(Call *, int place);
/** Where so many floats are. Absent ones, at 0, are allowed by the second. */
float *floats_at(Call *, int place, uint64_t count);
float *floats_or_none(Call *, int place, uint64_t count);

/** Products and sums that stay at the largest number where they would exceed it. */
uint64_t times(uint64_t a, uint64_t b);
uint64_t plus(uint64_t a, uint64_t b);
/** The floats from the first to the last of `count` rows, `row` apart, of which `width` count. */
uint64_t reach(int count, uint64_t row, uint64_t width);
#define TIMES3(a, b, c) times(times(a, b), c)
#define TIMES4(a, b, c, d) times(TIMES3(a, b, c), d)
#endif
