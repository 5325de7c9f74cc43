// LSTM and GRU, with their gradients. See entries.h.
#include "entries.h"

/** Where a call computes some of `all` sequences, those of one step lie `all` apart from those of the next. */
static Recurrent recurrent(Call *c, int place) {
  Recurrent r = {.time = size_at(c, place), .batch = size_at(c, place + 1), .units = size_at(c, place + 2), .hard = flag_at(c, place + 3), .all = size_at(c, place + 4)};
  // The sequences of a step would overlap those of the next.
  if (r.all < r.batch && !c->wrong) c->wrong = place + 5;
  return r;
}

static uint64_t one_state(const Recurrent *r) { return times((uint64_t)r->batch, (uint64_t)r->units); }
/** From the first to the last float of all steps, with `width` floats for a unit. */
static uint64_t all_steps(const Recurrent *r, uint64_t width) {
  return reach(r->time, TIMES3(width, (uint64_t)r->all, (uint64_t)r->units), times(width, one_state(r)));
}
/** With the state before the first step. */
static uint64_t all_states(const Recurrent *r) { return plus(times((uint64_t)r->all, (uint64_t)r->units), all_steps(r, 1)); }
static uint64_t weights_of(const Recurrent *r, uint64_t gates) { return TIMES3((uint64_t)r->units, (uint64_t)r->units, gates); }

void entry_lstm(Call *c) {
  Recurrent r = recurrent(c, 8);
  const uint64_t steps = all_steps(&r, 1);
  r.gates = floats_at(c, 0, all_steps(&r, 4));
  r.weights = floats_at(c, 1, weights_of(&r, 4));
  r.bias = floats_or_none(c, 2, times(4, (uint64_t)r.units));
  r.cells = floats_at(c, 3, all_states(&r));
  r.hidden = floats_at(c, 4, all_states(&r));
  r.squashed = floats_at(c, 5, steps);
  if (READY(c)) c->declined = !c->kernels->lstm(c->scratch, &r);
}

void entry_lstm_gradient(Call *c) {
  Recurrent r = recurrent(c, 9);
  const uint64_t state = one_state(&r), steps = all_steps(&r, 1);
  r.gates = floats_at(c, 0, all_steps(&r, 4));
  r.weights = floats_at(c, 1, weights_of(&r, 4));
  r.cells = floats_at(c, 2, steps);
  r.squashed = floats_at(c, 3, steps);
  r.d_hidden = floats_at(c, 4, steps);
  r.dh = floats_at(c, 5, state);
  r.dc = floats_at(c, 6, state);
  r.d_gates = floats_at(c, 7, all_steps(&r, 4));
  if (READY(c)) c->declined = !c->kernels->lstm_gradient(c->scratch, &r);
}

void entry_gru(Call *c) {
  Recurrent r = recurrent(c, 6);
  const uint64_t state = one_state(&r), steps = all_steps(&r, 1);
  r.gates = floats_at(c, 0, all_steps(&r, 3));
  r.weights = floats_at(c, 1, weights_of(&r, 2));
  r.candidate = floats_at(c, 2, weights_of(&r, 1));
  r.hidden = floats_at(c, 3, all_states(&r));
  r.reset_hidden = floats_at(c, 4, steps);
  r.inner = floats_at(c, 5, times(2, state));
  if (READY(c)) c->declined = !c->kernels->gru(c->scratch, &r);
}

void entry_gru_gradient(Call *c) {
  Recurrent r = recurrent(c, 9);
  const uint64_t state = one_state(&r), steps = all_steps(&r, 1);
  r.gates = floats_at(c, 0, all_steps(&r, 3));
  r.weights = floats_at(c, 1, weights_of(&r, 2));
  r.candidate = floats_at(c, 2, weights_of(&r, 1));
  r.hidden = floats_at(c, 3, all_states(&r));
  r.d_hidden = floats_at(c, 4, steps);
  r.dh = floats_at(c, 5, state);
  r.d_gates = floats_at(c, 6, all_steps(&r, 3));
  r.inner = floats_at(c, 7, state);
  r.pair = floats_at(c, 8, state);
  if (READY(c)) c->declined = !c->kernels->gru_gradient(c->scratch, &r);
}
