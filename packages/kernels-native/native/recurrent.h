// LSTM and GRU over time: backend-wasm/assembly/recurrent.ts. Weights are packed once for all steps.
#ifndef RECURRENT_H
#define RECURRENT_H
#include "functions.h"
#include "product.h"

/** So many sequences at a time: what their products give is still in the first cache when it goes into the gates. */
enum { BAND = 24 };

INLINE V gate(int hard, V x) {
  if (!hard) return sigmoid_of(x);
  // In this order NaN stays NaN; the sum before it is never -0.
  return raw_min(splat(1), raw_max(zero(), x * splat(0.2f) + splat(0.5f)));
}

INLINE V gate_slope(int hard, V y) {
  if (!hard) return y * (splat(1) - y);
  return keep_where(both(less(zero(), y), less(y, splat(1))), splat(0.2f));
}

INLINE V tanh_slope(V y) { return splat(1) - y * y; }

INLINE V total(const float *z, const float *own, const float *bias, long at, int n) {
  V sum = load_up_to(z + at, n) + load_up_to(own + at, n);
  if (bias) sum = sum + load_up_to(bias + at, n);
  return sum;
}

/** One sequence, one step: its gates, its cells and its hidden state a step later. */
INLINE void lstm_cells(int hard, float *z, const float *own, const float *bias, const float *cells, float *next, float *hidden, float *squashed, int units) {
  for (int u = 0; u < units; u += LANES) {
    const int n = smaller(LANES, units - u);
    const V i = gate(hard, total(z, own, bias, u, n)), f = gate(hard, total(z, own, bias, u + (long)units, n));
    const V g = tanh_of(total(z, own, bias, u + 2L * units, n)), o = gate(hard, total(z, own, bias, u + 3L * units, n));
    const V cell = f * load_up_to(cells + u, n) + i * g;
    store_up_to(z + u, i, n);
    store_up_to(z + u + units, f, n);
    store_up_to(z + u + 2L * units, g, n);
    store_up_to(z + u + 3L * units, o, n);
    store_up_to(next + u, cell, n);
  }
  for (int u = 0; u < units; u += LANES) {
    const int n = smaller(LANES, units - u);
    const V y = tanh_of(load_up_to(next + u, n));
    store_up_to(squashed + u, y, n);
    store_up_to(hidden + u, load_up_to(z + 3L * units + u, n) * y, n);
  }
}

INLINE void lstm_steps(int hard, const Recurrent *r, float *packed, float *inner) {
  const int units = r->units, batch = r->batch;
  const long state = (long)r->all * units;
  for (long t = 0; t < r->time; t++) {
    for (int b0 = 0; b0 < batch; b0 += BAND) {
      const int count = smaller(BAND, batch - b0);
      long s = t * state + (long)b0 * units;
      ISA(multiply_packed)(r->hidden + s, units, packed, inner, count, 4 * units, units);
      for (long b = 0; b < count; b++, s += units) {
        lstm_cells(hard, r->gates + 4 * s, inner + 4 * b * units, r->bias, r->cells + s, r->cells + s + state, r->hidden + s + state, r->squashed + s, units);
      }
    }
  }
}

static int ISA(lstm)(Scratch *scratch, const Recurrent *r) {
  const size_t weights = packed_floats(4 * r->units, r->units);
  float *packed = scratch_take(scratch, weights + (size_t)BAND * 4 * (size_t)r->units), *inner = packed + weights;
  if (!packed) return 0;
  ISA(pack_matrix)(r->weights, 4L * r->units, 0, 4 * r->units, r->units, packed);
  if (r->hard) lstm_steps(1, r, packed, inner);
  else lstm_steps(0, r, packed, inner);
  return 1;
}

INLINE void lstm_cells_back(int hard, const float *z, float *dz, const float *cells, const float *squashed, const float *arrived, const float *dh, float *dc, int units) {
  for (int u = 0; u < units; u += LANES) {
    const int n = smaller(LANES, units - u);
    const V i = load_up_to(z + u, n), f = load_up_to(z + u + units, n), g = load_up_to(z + u + 2L * units, n);
    const V o = load_up_to(z + u + 3L * units, n), y = load_up_to(squashed + u, n);
    const V d = load_up_to(arrived + u, n) + load_up_to(dh + u, n);
    const V d_cell = load_up_to(dc + u, n) + d * o * tanh_slope(y);
    store_up_to(dz + u, d_cell * g * gate_slope(hard, i), n);
    store_up_to(dz + u + units, d_cell * load_up_to(cells + u, n) * gate_slope(hard, f), n);
    store_up_to(dz + u + 2L * units, d_cell * i * tanh_slope(g), n);
    store_up_to(dz + u + 3L * units, d * y * gate_slope(hard, o), n);
    store_up_to(dc + u, d_cell * f, n);
  }
}

INLINE void lstm_steps_back(int hard, const Recurrent *r, float *packed) {
  const int units = r->units, batch = r->batch;
  const long state = (long)r->all * units;
  for (long t = r->time - 1; t >= 0; t--) {
    for (int b0 = 0; b0 < batch; b0 += BAND) {
      const int count = smaller(BAND, batch - b0);
      const long first = (long)b0 * units, s = t * state + first;
      for (long b = 0; b < count; b++) {
        const long at = s + b * units, own = first + b * units;
        lstm_cells_back(hard, r->gates + 4 * at, r->d_gates + 4 * at, r->cells + at, r->squashed + at, r->d_hidden + at, r->dh + own, r->dc + own, units);
      }
      ISA(multiply_packed)(r->d_gates + 4 * s, 4L * units, packed, r->dh + first, count, units, 4 * units);
    }
  }
}

static int ISA(lstm_gradient)(Scratch *scratch, const Recurrent *r) {
  float *packed = scratch_take(scratch, packed_floats(r->units, 4 * r->units));
  if (!packed) return 0;
  ISA(pack_matrix)(r->weights, 4L * r->units, 1, r->units, 4 * r->units, packed);
  if (r->hard) lstm_steps_back(1, r, packed);
  else lstm_steps_back(0, r, packed);
  return 1;
}

/** The two gates of one sequence, and its hidden state times the reset gate. */
INLINE void gru_gates(int hard, float *z, const float *own, const float *before, float *reset, int units) {
  for (int u = 0; u < units; u += LANES) {
    const int n = smaller(LANES, units - u);
    const V r = gate(hard, load_up_to(z + u + units, n) + load_up_to(own + u + units, n));
    store_up_to(z + u, gate(hard, load_up_to(z + u, n) + load_up_to(own + u, n)), n);
    store_up_to(z + u + units, r, n);
    store_up_to(reset + u, r * load_up_to(before + u, n), n);
  }
}

INLINE void gru_hidden(float *z, const float *own, const float *before, float *after, int units) {
  for (int u = 0; u < units; u += LANES) {
    const int n = smaller(LANES, units - u);
    const V h = tanh_of(load_up_to(z + u + 2L * units, n) + load_up_to(own + u, n)), update = load_up_to(z + u, n);
    store_up_to(z + u + 2L * units, h, n);
    store_up_to(after + u, update * load_up_to(before + u, n) + (splat(1) - update) * h, n);
  }
}

static int ISA(gru)(Scratch *scratch, const Recurrent *r) {
  const int units = r->units, batch = r->batch;
  const long state = (long)r->all * units;
  const size_t gates = packed_floats(2 * units, units), candidate = packed_floats(units, units);
  float *packed = scratch_take(scratch, gates + candidate);
  if (!packed) return 0;
  ISA(pack_matrix)(r->weights, 2L * units, 0, 2 * units, units, packed);
  ISA(pack_matrix)(r->candidate, units, 0, units, units, packed + gates);
  for (long t = 0; t < r->time; t++) {
    float *z = r->gates + 3 * t * state, *before = r->hidden + t * state, *reset = r->reset_hidden + t * state;
    ISA(multiply_packed)(before, units, packed, r->inner, batch, 2 * units, units);
    for (long b = 0; b < batch; b++) {
      gru_gates(r->hard, z + 3 * b * units, r->inner + 2 * b * units, before + b * units, reset + b * units, units);
    }
    ISA(multiply_packed)(reset, units, packed + gates, r->inner, batch, units, units);
    for (long b = 0; b < batch; b++) {
      gru_hidden(z + 3 * b * units, r->inner + b * units, before + b * units, before + state + b * units, units);
    }
  }
  return 1;
}

/** The first half of a step backwards, one sequence; `earlier` is 0 at the first step. */
INLINE void gru_back(int hard, const float *z, float *dz, const float *before, const float *earlier, float *dh, float *inner, int units) {
  for (int u = 0; u < units; u += LANES) {
    const int n = smaller(LANES, units - u);
    const V update = load_up_to(z + u, n), h = load_up_to(z + u + 2L * units, n), d = load_up_to(dh + u, n);
    const V d_update = d * load_up_to(before + u, n) - d * h;
    store_up_to(dz + u, d_update * gate_slope(hard, update), n);
    const V d_candidate = d * (splat(1) - update) * tanh_slope(h);
    V kept = d * update;
    store_up_to(dz + u + 2L * units, d_candidate, n);
    store_up_to(inner + u, d_candidate, n);
    if (earlier) kept = load_up_to(earlier + u, n) + kept;
    store_up_to(dh + u, kept, n);
  }
}

INLINE void gru_reset_back(int hard, const float *z, float *dz, const float *before, float *dh, const float *pair, int units) {
  for (int u = 0; u < units; u += LANES) {
    const int n = smaller(LANES, units - u);
    const V reset = load_up_to(z + u + units, n), d = load_up_to(pair + u, n);
    store_up_to(dz + u + units, d * load_up_to(before + u, n) * gate_slope(hard, reset), n);
    store_up_to(dh + u, load_up_to(dh + u, n) + d * reset, n);
  }
}

static int ISA(gru_gradient)(Scratch *scratch, const Recurrent *r) {
  const int units = r->units, batch = r->batch;
  const long state = (long)r->all * units;
  const size_t candidate = packed_floats(units, units);
  float *room = scratch_take(scratch, PRODUCT_FLOATS + candidate), *packed = room + PRODUCT_FLOATS;
  if (!room) return 0;
  ISA(pack_matrix)(r->candidate, units, 1, units, units, packed);
  memmove(r->dh, r->d_hidden + (r->time - 1) * state, sizeof(float) * (size_t)batch * (size_t)units);
  for (long t = r->time - 1; t >= 0; t--) {
    const float *z = r->gates + 3 * t * state, *before = r->hidden + t * state;
    const float *earlier = t > 0 ? r->d_hidden + (t - 1) * state : 0;
    float *dz = r->d_gates + 3 * t * state;
    for (long b = 0; b < batch; b++) {
      const long s = b * units;
      gru_back(r->hard, z + 3 * s, dz + 3 * s, before + s, earlier ? earlier + s : 0, r->dh + s, r->inner + s, units);
    }
    ISA(multiply_packed)(r->inner, units, packed, r->pair, batch, units, units);
    for (long b = 0; b < batch; b++) {
      const long s = b * units;
      gru_reset_back(r->hard, z + 3 * s, dz + 3 * s, before + s, r->dh + s, r->pair + s, units);
    }
    // A product deeper than one block is complete before it is added.
    const int fits = 2 * units <= BLOCK_DEPTH;
    ISA(multiply)(room, &(Product){dz, 3L * units, 0, r->weights, 2L * units, 1, fits ? r->dh : r->pair, units, batch, units, 2 * units, 0, 0, fits});
    if (!fits) add_to(r->dh, r->pair, (long)batch * units);
  }
  return 1;
}
#endif
