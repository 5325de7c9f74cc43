// native/call.c by itself: the numbers that a call accepts, and products and sums that cannot overflow.
#include <stdio.h>
#include "call.h"

static int failures = 0;

static void check(int holds, const char *what, double value) {
  if (holds) return;
  failures++;
  printf("%s: %g\n", what, value);
}

static Call call_of(const double *arguments, uint64_t bytes) { return (Call){0, bytes, arguments, 0, 0, 0, 0}; }

typedef int (*Reader)(Call *, int);

/** The second of two arguments, so that a wrong one is found in its place. */
static void accepts(Reader read, const char *what, double value, int expected) {
  const double arguments[] = {0, value};
  Call call = call_of(arguments, 0);
  check(read(&call, 1) == expected && !call.wrong, what, value);
}

static void refuses(Reader read, const char *what, double value) {
  const double arguments[] = {0, value};
  Call call = call_of(arguments, 0);
  read(&call, 1);
  check(call.wrong == 2, what, value);
}

static void check_numbers(void) {
  const double never[] = {0.5, -0.5, 1e300, -1e300, 2147483648., -2147483649., __builtin_inf(), -__builtin_inf(), __builtin_nan("")};
  const Reader readers[] = {size_at, step_at, whole_at, flag_at};
  for (int r = 0; r < 4; r++) {
    for (unsigned i = 0; i < sizeof never / sizeof *never; i++) refuses(readers[r], "is not a whole number of 32 bits", never[i]);
    accepts(readers[r], "zero", 0, 0);
    accepts(readers[r], "minus zero", -0.0, 0);
    accepts(readers[r], "one", 1, 1);
  }
  accepts(size_at, "the largest size", INT32_MAX, INT32_MAX);
  accepts(step_at, "the largest step", INT32_MAX, INT32_MAX);
  refuses(size_at, "a negative size", -1);
  refuses(step_at, "a negative step", -1);
  accepts(whole_at, "a negative padding", -7, -7);
  accepts(whole_at, "the largest padding", 1 << 30, 1 << 30);
  accepts(whole_at, "the least padding", -(1 << 30), -(1 << 30));
  refuses(whole_at, "a padding that a step would carry over", (1 << 30) + 1.);
  refuses(flag_at, "a flag of 2", 2);
  refuses(flag_at, "a flag of -1", -1);
}

static void check_declines(void) {
  const double zero[] = {0};
  Call sized = call_of(zero, 0), stepped = call_of(zero, 0);
  size_at(&sized, 0);
  step_at(&stepped, 0);
  check(sized.declined && !sized.wrong, "an empty size is not left to the caller", 0);
  check(!stepped.declined, "a step of zero is", 0);
}

/** In a memory of 100 bytes. */
static void address(double at, uint64_t count, int is_right) {
  char memory[100];
  const double arguments[] = {at};
  Call call = {memory, sizeof memory, arguments, 0, 0, 0, 0};
  float *found = floats_at(&call, 0, count);
  check(is_right ? !call.wrong && (char *)found == memory + (int)at : call.wrong == 1 && !found, is_right ? "a right address is refused" : "a wrong address is taken", at);
}

static void check_addresses(void) {
  address(0, 25, 1);
  address(0, 26, 0);
  address(96, 1, 1);
  address(96, 2, 0);
  address(100, 0, 1);
  address(100, 1, 0);
  address(104, 0, 0);
  address(2, 1, 0);
  address(-4, 1, 0);
  address(4294967296., 0, 0);
  address(4, UINT64_MAX, 0);
  address(4, UINT64_MAX / sizeof(float) + 1, 0);
  address(__builtin_nan(""), 0, 0);
  const double none[] = {0}, some[] = {8};
  char memory[100];
  Call absent = {memory, sizeof memory, none, 0, 0, 0, 0}, present = {memory, sizeof memory, some, 0, 0, 0, 0};
  check(!floats_or_none(&absent, 0, 1000) && !absent.wrong, "what may be left out is refused", 0);
  check(!floats_or_none(&present, 0, 24) && present.wrong == 1, "what is there is not checked", 8);
}

static void check_first_mistake(void) {
  const double arguments[] = {4, -1, -1};
  Call call = call_of(arguments, 1 << 20);
  size_at(&call, 2);
  size_at(&call, 1);
  check(call.wrong == 3, "a later mistake hides the first that was found", call.wrong);
  check(!floats_at(&call, 0, 1), "an address is given after a mistake", 0);
}

static void check_arithmetic(void) {
  const uint64_t most = UINT64_MAX;
  check(times(most, 1) == most && times(most, 0) == 0 && times(1u << 31, 1u << 31) == 1ull << 62, "times", 0);
  check(times(1ull << 32, 1ull << 32) == most && times(most, 2) == most && times(times(most, 3), 5) == most, "times does not stay", 0);
  check(plus(most, 0) == most && plus(2, 3) == 5 && plus(most, 1) == most && plus(most, most) == most, "plus", 0);
  check(reach(0, most, most) == 0 && reach(-3, 5, 5) == 0, "reach of nothing", 0);
  check(reach(1, most, 7) == 7 && reach(4, 10, 3) == 33 && reach(3, 0, 6) == 6, "reach", 0);
  check(reach(2, most, 1) == most && reach(INT32_MAX, most / 2, most) == most, "reach does not stay", 0);
}

int main(void) {
  check_numbers();
  check_declines();
  check_addresses();
  check_first_mistake();
  check_arithmetic();
  printf("checked arguments: %d failures\n", failures);
  return failures > 0;
}
