// Whole sequences through an LSTM or a GRU. Everything is [time, batch, ...]; the products with the input, which need
// no order, are made by the host in one go before and after.
//
// Each number is computed by the same operations in the same order as by the cells of tfjs, step by step, so that the
// results are the same to the bit: whether somebody watches a cell must not change how a model is trained.
//
// `all` is how many sequences lie in memory for each step; `batch` of them, from the addresses on, are computed.
import { outerProduct, packedProduct, packMatrix, product, productPart } from './matmul';
import { sigmoidOf, tanhOf } from './math';
import { sumColumns } from './reduce';
import { floats, smaller, splat } from './vector';
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
 * candidate, output). `cells` and `hidden` [time + 1, batch, units] begin with the first states;
 * `squashed` [time, batch, units] becomes tanh of the others, for the gradient. `inner` has room for [BAND, 4 units],
 * `packed` for the weights, with 8 columns more; `bias` may be 0.
 */
export function lstm(
  gates: usize, weights: usize, bias: usize, cells: usize, hidden: usize, squashed: usize, inner: usize,
  packed: usize, time: i32, batch: i32, units: i32, hard: bool, all: i32,
): void {
  if (hard) lstmSteps(true, gates, weights, bias, cells, hidden, squashed, inner, packed, time, batch, units, all);
  else lstmSteps(false, gates, weights, bias, cells, hidden, squashed, inner, packed, time, batch, units, all);
}

/** So many sequences at a time: what their products give is still in the first cache when it goes into the gates. */
const BAND: i32 = 12;

// @ts-ignore: decorator
@inline
function lstmSteps(
  hard: bool, gates: usize, weights: usize, bias: usize, cells: usize, hidden: usize, squashed: usize, inner: usize,
  packed: usize, time: i32, batch: i32, units: i32, all: i32,
): void {
  const part = floats(units), state = floats(all * units);
  packMatrix(weights, 4 * units, false, 4 * units, units, packed);
  for (let t = 0; t < time; t++) {
    for (let b0 = 0; b0 < batch; b0 += BAND) {
      const count = smaller(BAND, batch - b0);
      let s = <usize>t * state + floats(b0 * units), z = gates + (s << 2), own = inner;
      packedProduct(hidden + s, units, packed, inner, count, 4 * units, units, false);
      for (let b = 0; b < count; b++, s += part, z += part << 2, own += part << 2) {
        const next = s + state;
        let u = 0;
        for (; u + 4 <= units; u += 4) lstmCells(hard, z, own, bias, cells + s, cells + next, part, floats(u), 4);
        if (u < units) lstmCells(hard, z, own, bias, cells + s, cells + next, part, floats(u), units - u);
        // A separate loop: the processor can look ahead further while each number waits for fewer others.
        for (u = 0; u + 4 <= units; u += 4) lstmHidden(z + 3 * part, cells + next, hidden + next, squashed + s, floats(u), 4);
        if (u < units) lstmHidden(z + 3 * part, cells + next, hidden + next, squashed + s, floats(u), units - u);
      }
    }
  }
}

/** `n` neighbouring units of one sequence: their gates, and their cells a step later. */
// @ts-ignore: decorator
@inline
function lstmCells(
  hard: bool, z: usize, inner: usize, bias: usize, cells: usize, next: usize, part: usize, u: usize, n: i32,
): void {
  const p = z + u, q = inner + u, c = bias + u;
  const i = gate(hard, total(p, q, bias, c, n));
  const f = gate(hard, total(p + part, q + part, bias, c + part, n));
  const g = tanhOf(total(p + 2 * part, q + 2 * part, bias, c + 2 * part, n));
  const o = gate(hard, total(p + 3 * part, q + 3 * part, bias, c + 3 * part, n));
  const cell = f32x4.add(f32x4.mul(f, take(cells + u, n)), f32x4.mul(i, g));
  put(p, i, n); put(p + part, f, n); put(p + 2 * part, g, n); put(p + 3 * part, o, n);
  put(next + u, cell, n);
}

// @ts-ignore: decorator
@inline
function lstmHidden(outputs: usize, cells: usize, hidden: usize, squashed: usize, u: usize, n: i32): void {
  const y = tanhOf(take(cells + u, n));
  put(squashed + u, y, n);
  put(hidden + u, f32x4.mul(take(outputs + u, n), y), n);
}

// @ts-ignore: decorator
@inline
function total(z: usize, inner: usize, bias: usize, at: usize, n: i32): v128 {
  const sum = f32x4.add(take(z, n), take(inner, n));
  return bias ? f32x4.add(sum, take(at, n)) : sum;
}

/**
 * Backwards: `dHidden` [time, batch, units] holds the gradients that arrive from outside. `dh` and `dc` [batch, units]
 * begin as zeros. `dGates` [time, batch, 4 units] becomes the gradient of what went into the gates. `packed` is as for
 * the steps forwards.
 */
export function lstmGradient(
  gates: usize, weights: usize, cells: usize, squashed: usize, dHidden: usize, dh: usize, dc: usize, dGates: usize,
  packed: usize, time: i32, batch: i32, units: i32, hard: bool, all: i32,
): void {
  if (hard) lstmStepsBack(true, gates, weights, cells, squashed, dHidden, dh, dc, dGates, packed, time, batch, units, all);
  else lstmStepsBack(false, gates, weights, cells, squashed, dHidden, dh, dc, dGates, packed, time, batch, units, all);
}

// @ts-ignore: decorator
@inline
function lstmStepsBack(
  hard: bool, gates: usize, weights: usize, cells: usize, squashed: usize, dHidden: usize, dh: usize, dc: usize,
  dGates: usize, packed: usize, time: i32, batch: i32, units: i32, all: i32,
): void {
  const part = floats(units), state = floats(all * units);
  packMatrix(weights, 4 * units, true, units, 4 * units, packed);
  for (let t = time - 1; t >= 0; t--) {
    for (let b0 = 0; b0 < batch; b0 += BAND) {
      const count = smaller(BAND, batch - b0), first = floats(b0 * units);
      let at = first, s = <usize>t * state + first;
      for (let b = 0; b < count; b++, at += part, s += part) {
        const z = gates + (s << 2), dz = dGates + (s << 2);
        let u = 0;
        for (; u + 4 <= units; u += 4) {
          lstmCellsBack(hard, z, dz, cells + s, squashed + s, dHidden + s, dh + at, dc + at, part, floats(u), 4);
        }
        if (u < units) {
          lstmCellsBack(hard, z, dz, cells + s, squashed + s, dHidden + s, dh + at, dc + at, part, floats(u), units - u);
        }
      }
      const from = dGates + ((<usize>t * state + first) << 2);
      packedProduct(from, 4 * units, packed, dh + first, count, units, 4 * units, false);
    }
  }
}

// @ts-ignore: decorator
@inline
function lstmCellsBack(
  hard: bool, z: usize, dz: usize, cells: usize, squashed: usize, arrived: usize, dh: usize, dc: usize, part: usize,
  u: usize, n: i32,
): void {
  const p = z + u, q = dz + u;
  const i = take(p, n), f = take(p + part, n), g = take(p + 2 * part, n), o = take(p + 3 * part, n);
  const y = take(squashed + u, n);
  const d = f32x4.add(take(arrived + u, n), take(dh + u, n));
  const dCell = f32x4.add(take(dc + u, n), f32x4.mul(f32x4.mul(d, o), tanhSlope(y)));
  put(q, f32x4.mul(f32x4.mul(dCell, g), gateSlope(hard, i)), n);
  put(q + part, f32x4.mul(f32x4.mul(dCell, take(cells + u, n)), gateSlope(hard, f)), n);
  put(q + 2 * part, f32x4.mul(f32x4.mul(dCell, i), tanhSlope(g)), n);
  put(q + 3 * part, f32x4.mul(f32x4.mul(d, y), gateSlope(hard, o)), n);
  put(dc + u, f32x4.mul(dCell, f), n);
}

/**
 * `gates` [time, batch, 3 units] holds x times its weights plus the bias and becomes the values of the gates (update,
 * reset, candidate); `resetHidden` [time, batch, units] becomes the hidden state times the reset gate. `weights`
 * [units, 2 units] are those of the two gates, `candidate` [units, units] those of the third; `inner` has room for
 * [batch, 2 units].
 */
export function gru(
  gates: usize, weights: usize, candidate: usize, hidden: usize, resetHidden: usize, inner: usize,
  time: i32, batch: i32, units: i32, hard: bool, all: i32,
): void {
  const part = floats(units), state = floats(all * units);
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
  pair: usize, time: i32, batch: i32, units: i32, hard: bool, all: i32,
): void {
  const part = floats(units), state = floats(all * units);
  memory.copy(dh, dHidden + <usize>(time - 1) * state, floats(batch * units));
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
  const whole = batch <= BLOCK_K ? n / 12 * 12 : 0, rest = n - whole;
  for (let t = time - 1; t >= 0; t--) {
    const left = a + floats(t * batch * rowA), right = b + floats(t * batch * rowB), isFirst = t == time - 1;
    for (let i = 0; i < m && whole > 0; i += 3) {
      const to = out + floats(i * n), count = smaller(3, m - i);
      outerProduct(left + floats(i), floats(rowA), right, floats(rowB), batch, to, floats(n), whole, count, !isFirst);
    }
    if (rest == 0) continue;
    const at = right + floats(whole), to = out + floats(whole);
    if (isFirst || batch <= BLOCK_K) productPart(left, rowA, true, at, rowB, false, to, n, m, rest, batch, 0, false, !isFirst);
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
