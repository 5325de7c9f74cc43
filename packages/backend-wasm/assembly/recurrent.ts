// Whole sequences through an LSTM or a GRU. Everything is [time, batch, ...]; the products with the input, which need
// no order, are made by the host in one go before and after.
//
// Each number is computed by the same operations in the same order as by the cells of tfjs, step by step, so that the
// results are the same to the bit: whether somebody watches a cell must not change how a model is trained.
import { product } from './matmul';
import { sigmoidOf, tanhOf } from './math';
import { sumColumns } from './reduce';
import { floats, splat } from './vector';
import { BLOCK_K } from './workspace';

/** 0: sigmoid, 1: hard sigmoid, which is the default of Keras 1 and of tfjs. */
// @ts-ignore: decorator
@inline
function gate(hard: bool, x: v128): v128 {
  if (!hard) return sigmoidOf(x);
  return f32x4.min(f32x4.max(f32x4.add(f32x4.mul(x, splat(0.2)), splat(0.5)), splat(0)), splat(1));
}

// @ts-ignore: decorator
@inline
function gateSlope(hard: bool, y: v128): v128 {
  if (!hard) return f32x4.mul(y, f32x4.sub(splat(1), y));
  return v128.and(splat(0.2), v128.and(f32x4.gt(y, splat(0)), f32x4.lt(y, splat(1))));
}

// @ts-ignore: decorator
@inline
function tanhSlope(y: v128): v128 {
  return f32x4.sub(splat(1), f32x4.mul(y, y));
}

/** Four floats, or those that are left of a row. */
// @ts-ignore: decorator
@inline
function take(p: usize, count: i32): v128 {
  return count >= 4 ? v128.load(p) : takeFew(p, count);
}

function takeFew(p: usize, count: i32): v128 {
  let v = v128.load32_zero(p);
  if (count > 1) v = f32x4.replace_lane(v, 1, load<f32>(p, 4));
  if (count > 2) v = f32x4.replace_lane(v, 2, load<f32>(p, 8));
  return v;
}

// @ts-ignore: decorator
@inline
function put(p: usize, v: v128, count: i32): void {
  if (count >= 4) v128.store(p, v);
  else putFew(p, v, count);
}

function putFew(p: usize, v: v128, count: i32): void {
  store<f32>(p, f32x4.extract_lane(v, 0));
  if (count > 1) store<f32>(p, f32x4.extract_lane(v, 1), 4);
  if (count > 2) store<f32>(p, f32x4.extract_lane(v, 2), 8);
}

/**
 * `gates` [time, batch, 4 units] holds x times its weights and becomes the values of the four gates (input, forget,
 * candidate, output). `cells` and `hidden` [time + 1, batch, units] begin with the first states; `inner` has room for
 * [batch, 4 units]; `bias` may be 0.
 */
export function lstm(
  gates: usize, weights: usize, bias: usize, cells: usize, hidden: usize, inner: usize,
  time: i32, batch: i32, units: i32, hard: bool,
): void {
  const part = floats(units), state = floats(batch * units);
  for (let t = 0; t < time; t++) {
    const z = gates + (<usize>t) * (state << 2);
    const before = <usize>t * state, after = before + state;
    product(hidden + before, units, false, weights, 4 * units, false, inner, batch, 4 * units, units, 0, false, false);
    for (let b = 0; b < batch; b++) {
      const row = floats(b * 4 * units), at = floats(b * units);
      for (let u = 0; u < units; u += 4) {
        const n = units - u, p = row + floats(u), s = at + floats(u), c = floats(u);
        const i = gate(hard, total(z + p, inner + p, bias, c, n));
        const f = gate(hard, total(z + p + part, inner + p + part, bias, c + part, n));
        const g = tanhOf(total(z + p + 2 * part, inner + p + 2 * part, bias, c + 2 * part, n));
        const o = gate(hard, total(z + p + 3 * part, inner + p + 3 * part, bias, c + 3 * part, n));
        const cell = f32x4.add(f32x4.mul(f, take(cells + before + s, n)), f32x4.mul(i, g));
        put(z + p, i, n); put(z + p + part, f, n); put(z + p + 2 * part, g, n); put(z + p + 3 * part, o, n);
        put(cells + after + s, cell, n);
        put(hidden + after + s, f32x4.mul(o, tanhOf(cell)), n);
      }
    }
  }
}

// @ts-ignore: decorator
@inline
function total(z: usize, inner: usize, bias: usize, at: usize, n: i32): v128 {
  const sum = f32x4.add(take(z, n), take(inner, n));
  return bias ? f32x4.add(sum, take(bias + at, n)) : sum;
}

/**
 * Backwards: `dHidden` [time, batch, units] holds the gradients that arrive from outside. `dh` and `dc` [batch, units]
 * begin as zeros. `dGates` [time, batch, 4 units] becomes the gradient of what went into the gates.
 */
export function lstmGradient(
  gates: usize, weights: usize, cells: usize, dHidden: usize, dh: usize, dc: usize, dGates: usize,
  time: i32, batch: i32, units: i32, hard: bool,
): void {
  const part = floats(units), state = floats(batch * units);
  for (let t = time - 1; t >= 0; t--) {
    const z = gates + (<usize>t) * (state << 2), dz = dGates + (<usize>t) * (state << 2);
    const before = cells + <usize>t * state, after = before + state, arrived = dHidden + <usize>t * state;
    for (let b = 0; b < batch; b++) {
      const row = floats(b * 4 * units), at = floats(b * units);
      for (let u = 0; u < units; u += 4) {
        const n = units - u, p = row + floats(u), s = at + floats(u);
        const i = take(z + p, n), f = take(z + p + part, n), g = take(z + p + 2 * part, n), o = take(z + p + 3 * part, n);
        const squashed = tanhOf(take(after + s, n));
        const d = f32x4.add(take(arrived + s, n), take(dh + s, n));
        const dCell = f32x4.add(take(dc + s, n), f32x4.mul(f32x4.mul(d, o), tanhSlope(squashed)));
        put(dz + p, f32x4.mul(f32x4.mul(dCell, g), gateSlope(hard, i)), n);
        put(dz + p + part, f32x4.mul(f32x4.mul(dCell, take(before + s, n)), gateSlope(hard, f)), n);
        put(dz + p + 2 * part, f32x4.mul(f32x4.mul(dCell, i), tanhSlope(g)), n);
        put(dz + p + 3 * part, f32x4.mul(f32x4.mul(d, squashed), gateSlope(hard, o)), n);
        put(dc + s, f32x4.mul(dCell, f), n);
      }
    }
    product(dz, 4 * units, false, weights, 4 * units, true, dh, batch, units, 4 * units, 0, false, false);
  }
}

/**
 * `gates` [time, batch, 3 units] holds x times its weights plus the bias and becomes the values of the gates (update,
 * reset, candidate); `resetHidden` [time, batch, units] becomes the hidden state times the reset gate. `weights`
 * [units, 2 units] are those of the two gates, `candidate` [units, units] those of the third; `inner` has room for
 * [batch, 2 units].
 */
export function gru(
  gates: usize, weights: usize, candidate: usize, hidden: usize, resetHidden: usize, inner: usize,
  time: i32, batch: i32, units: i32, hard: bool,
): void {
  const part = floats(units), state = floats(batch * units);
  for (let t = 0; t < time; t++) {
    const z = gates + (<usize>t) * (state * 3), before = hidden + <usize>t * state, after = before + state;
    const reset = resetHidden + <usize>t * state;
    product(before, units, false, weights, 2 * units, false, inner, batch, 2 * units, units, 0, false, false);
    for (let b = 0; b < batch; b++) {
      const row = z + floats(b * 3 * units), at = floats(b * units), own = inner + floats(b * 2 * units);
      for (let u = 0; u < units; u += 4) {
        const n = units - u, p = row + floats(u), q = own + floats(u);
        const update = gate(hard, f32x4.add(take(p, n), take(q, n)));
        const r = gate(hard, f32x4.add(take(p + part, n), take(q + part, n)));
        put(p, update, n);
        put(p + part, r, n);
        put(reset + at + floats(u), f32x4.mul(r, take(before + at + floats(u), n)), n);
      }
    }
    product(reset, units, false, candidate, units, false, inner, batch, units, units, 0, false, false);
    for (let b = 0; b < batch; b++) {
      const row = z + floats(b * 3 * units), at = floats(b * units);
      for (let u = 0; u < units; u += 4) {
        const n = units - u, p = row + floats(u), s = at + floats(u);
        const h = tanhOf(f32x4.add(take(p + 2 * part, n), take(inner + s, n))), update = take(p, n);
        put(p + 2 * part, h, n);
        const kept = f32x4.mul(update, take(before + s, n));
        put(after + s, f32x4.add(kept, f32x4.mul(f32x4.sub(splat(1), update), h)), n);
      }
    }
  }
}

/** Backwards, as for the LSTM; `inner` and `pair` have room for [batch, units]. */
export function gruGradient(
  gates: usize, weights: usize, candidate: usize, hidden: usize, dHidden: usize, dh: usize, dGates: usize, inner: usize,
  pair: usize, time: i32, batch: i32, units: i32, hard: bool,
): void {
  const part = floats(units), state = floats(batch * units);
  memory.copy(dh, dHidden + <usize>(time - 1) * state, state);
  for (let t = time - 1; t >= 0; t--) {
    const z = gates + (<usize>t) * (state * 3), dz = dGates + (<usize>t) * (state * 3);
    const before = hidden + <usize>t * state, earlier = dHidden + <usize>(t - 1) * state;
    for (let b = 0; b < batch; b++) {
      const row = floats(b * 3 * units), at = floats(b * units);
      for (let u = 0; u < units; u += 4) {
        const n = units - u, p = row + floats(u), s = at + floats(u);
        const update = take(z + p, n), h = take(z + p + 2 * part, n), d = take(dh + s, n);
        const dUpdate = f32x4.sub(f32x4.mul(d, take(before + s, n)), f32x4.mul(d, h));
        put(dz + p, f32x4.mul(dUpdate, gateSlope(hard, update)), n);
        const dCandidate = f32x4.mul(f32x4.mul(d, f32x4.sub(splat(1), update)), tanhSlope(h));
        put(dz + p + 2 * part, dCandidate, n);
        put(inner + s, dCandidate, n);
        const kept = f32x4.mul(d, update);
        put(dh + s, t > 0 ? f32x4.add(take(earlier + s, n), kept) : kept, n);
      }
    }
    // The gradient of reset times hidden goes to both.
    product(inner, units, false, candidate, units, true, pair, batch, units, units, 0, false, false);
    for (let b = 0; b < batch; b++) {
      const row = floats(b * 3 * units), at = floats(b * units);
      for (let u = 0; u < units; u += 4) {
        const n = units - u, p = row + floats(u), s = at + floats(u);
        const r = take(z + p + part, n), d = take(pair + s, n);
        put(dz + p + part, f32x4.mul(f32x4.mul(d, take(before + s, n)), gateSlope(hard, r)), n);
        put(dh + s, f32x4.add(take(dh + s, n), f32x4.mul(d, r)), n);
      }
    }
    addProduct(dz, 3 * units, false, weights, 2 * units, true, dh, pair, batch, units, 2 * units);
  }
}

/** out[m, n] = the sum over time of a[time, batch, m] times b[time, batch, n], the last step first. */
export function sumOfProducts(
  a: usize, rowA: i32, b: usize, rowB: i32, out: usize, spare: usize, time: i32, batch: i32, m: i32, n: i32,
): void {
  for (let t = time - 1; t >= 0; t--) {
    const left = a + floats(t * batch * rowA), right = b + floats(t * batch * rowB);
    if (t == time - 1) product(left, rowA, true, right, rowB, false, out, m, n, batch, 0, false, false);
    else addProduct(left, rowA, true, right, rowB, false, out, spare, m, n, batch);
  }
}

/** out[n] = the sum over time of the sums over the batch, the last step first; `spare` has room for n. */
export function sumOfSums(x: usize, out: usize, spare: usize, time: i32, batch: i32, n: i32): void {
  for (let t = time - 1; t >= 0; t--) {
    const from = x + floats(t * batch * n);
    if (t == time - 1) {
      sumColumns(from, out, batch, n);
    } else {
      sumColumns(from, spare, batch, n);
      addTo(out, spare, n);
    }
  }
}

/** out += a b, where the product is complete before it is added. */
function addProduct(
  a: usize, rowA: i32, transposeA: bool, b: usize, rowB: i32, transposeB: bool, out: usize, spare: usize,
  m: i32, n: i32, k: i32,
): void {
  if (k <= BLOCK_K) {
    product(a, rowA, transposeA, b, rowB, transposeB, out, m, n, k, 0, false, true);
  } else {
    product(a, rowA, transposeA, b, rowB, transposeB, spare, m, n, k, 0, false, false);
    addTo(out, spare, m * n);
  }
}

function addTo(out: usize, x: usize, n: i32): void {
  let i = 0;
  for (; i + 4 <= n; i += 4, out += 16, x += 16) v128.store(out, f32x4.add(v128.load(out), v128.load(x)));
  for (; i < n; i++, out += 4, x += 4) store<f32>(out, load<f32>(out) + load<f32>(x));
}
