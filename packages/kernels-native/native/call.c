#include "call.h"

static void wrong(Call *call, int place) {
  if (!call->wrong) call->wrong = place + 1;
}

static double between(Call *call, int place, double lowest, double highest) {
  const double value = call->arguments[place];
  // NaN fails the comparisons.
  if (value >= lowest && value <= highest && value == (double)(int64_t)value) return value;
  wrong(call, place);
  return lowest > 0 ? lowest : 0;
}

int size_at(Call *call, int place) {
  const int size = (int)between(call, place, 0, INT32_MAX);
  if (size == 0) call->declined = 1;
  return size;
}

int whole_at(Call *call, int place) { return (int)between(call, place, -(1 << 30), 1 << 30); }

int step_at(Call *call, int place) { return (int)between(call, place, 0, INT32_MAX); }

int flag_at(Call *call, int place) { return between(call, place, 0, 1) != 0; }

float float_at(Call *call, int place) { return (float)call->arguments[place]; }

float *floats_at(Call *call, int place, uint64_t count) {
  const double address = between(call, place, 0, UINT32_MAX);
  const uint64_t at = (uint64_t)address;
  if (at % sizeof(float) || at > call->bytes || count > (call->bytes - at) / sizeof(float)) wrong(call, place);
  return call->wrong ? 0 : (float *)(call->memory + at);
}

float *floats_or_none(Call *call, int place, uint64_t count) {
  return call->arguments[place] == 0 ? 0 : floats_at(call, place, count);
}

uint64_t times(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t plus(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

uint64_t reach(int count, uint64_t row, uint64_t width) {
  return count > 0 ? plus(times((uint64_t)count - 1, row), width) : 0;
}

int run_entry(const Entry *entry, char *memory, uint64_t bytes, const double *arguments, const Kernels *kernels, Scratch *scratch) {
  Call call = {memory, bytes, arguments, kernels, scratch, 0, 0};
  entry->run(&call);
  if (call.wrong) return call.wrong;
  return call.declined ? DECLINED : COMPUTED;
}
