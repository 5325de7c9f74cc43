// Random arguments for a kernel: mostly right ones, by the names that its entry gives them.
#ifndef DRAW_H
#define DRAW_H
#include <stdio.h>
#include <string.h>
#include "call.h"

/** The floats of the memory that the addresses are drawn for. */
enum { FLOATS = 6000 };

static uint64_t seed = 1;
static uint32_t random_bits(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (uint32_t)(seed >> 16);
}
static uint32_t below(uint32_t n) { return random_bits() % n; }

static int is_one_of(const char *name, const char *list) {
  const size_t length = strlen(name);
  for (const char *at = list; (at = strstr(at, name)); at++) {
    if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0)) return 1;
  }
  return 0;
}

static const char ADDRESSES[] = "a b out x y filter dy dx dz query key value weights dQuery dKey dValue spare gates bias cells hidden squashed inner packed dHidden dh dc dGates candidate resetHidden pair gamma beta mean inverse variance dGamma dBeta dGammas dBetas sums squares blocks p m v g before after";
static const char FLAGS[] = "transposeA transposeB relu add turned causal hard a2 b2";
static const char NUMBERS[] = "scale epsilon factor share beta1 rest1 beta2 rest2 size decay keep";

/** `a`, `b`, `m` and `x` are addresses in some kernels and numbers in others. */
static int is_address(const Entry *entry, const char *name, int place) {
  if (!strcmp(entry->name, "unary") && place >= 4) return 0;
  if (!strcmp(entry->name, "adam")) return place < 4;
  if (!strcmp(entry->name, "sum")) return place < 2;
  if (!strcmp(name, "m")) return 0;
  return is_one_of(name, ADDRESSES);
}

static double strange(void) {
  static const double values[] = {-1, -4, 0.5, 1e9, 2147483647, 2147483648., 4294967292., 4294967296., 1e300, -1e300, 3};
  const uint32_t i = below(13);
  return i < 11 ? values[i] : i == 11 ? __builtin_nan("") : __builtin_inf();
}

static double argument(const Entry *entry, const char *name, int place) {
  if (below(150) == 0) return strange();
  if (is_address(entry, name, place)) return below(12) == 0 ? 0 : 4.0 * below(FLOATS);
  if (is_one_of(name, FLAGS)) return below(2);
  if (is_one_of(name, NUMBERS)) return (double)below(1000) / 500;
  if (!strcmp(name, "code")) return below(22);
  if (!strcmp(name, "top") || !strcmp(name, "left")) return (double)below(5) - 2;
  if (strstr(name, "row") == name) return below(60);
  if (!strcmp(name, "end")) return below(40);
  if (strstr(name, "stride") == name || strstr(name, "dilation") == name || strstr(name, "filterH") == name || strstr(name, "filterW") == name) return 1 + below(3);
  // Around the end of a block of rows.
  if (strstr(entry->name, "block") == entry->name && !strcmp(name, "height")) return 120 + below(20);
  if (!strcmp(name, "all")) return 5 + below(20);
  return below(20) == 0 ? below(40) : 1 + below(5) * below(5);
}

static void draw(const Entry *entry, double *arguments) {
  char name[32];
  int place = 0;
  for (const char *at = entry->arguments; *at; place++) {
    const size_t length = strcspn(at, " ");
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    arguments[place] = argument(entry, name, place);
    at += length;
    if (*at == ' ') at++;
  }
}

static void fill_with_numbers(char *memory, uint64_t bytes) {
  for (uint64_t i = 0; i + 4 <= bytes; i += 4) {
    const float value = (float)below(2000) / 500 - 2;
    memcpy(memory + i, &value, 4);
  }
}
#endif
