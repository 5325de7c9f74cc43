// One step of an optimizer for one parameter, in place. Multiplications and additions in the order of the portable
// rules in @hookline/optimizers, each rounded: the results are the same to the bit, except for what `settled` removes.
import { floats, splat } from './vector';
import { tile } from './workspace';

// The last, incomplete four of a parameter are moved to the tile, worked on there, and moved back.
const SPARE: usize = 16;

// @ts-ignore: decorator
@inline
function decayed(p: v128, g: v128, decay: f32): v128 {
  return decay == 0 ? g : f32x4.add(g, f32x4.mul(p, splat(decay)));
}

// @ts-ignore: decorator
@inline
function mixed(last: v128, keep: f32, next: v128, rest: f32): v128 {
  return f32x4.add(f32x4.mul(last, splat(keep)), f32x4.mul(next, splat(rest)));
}

/**
 * Zero for what is too small to be held in full precision. What an optimizer remembers of a dead unit decays to such
 * numbers and stays there, and a processor takes a hundred times as long for each. A step divided by `epsilon` does not
 * notice the difference. Not for lion, whose steps all have the same size, however small their cause.
 */
// @ts-ignore: decorator
@inline
function settled(x: v128): v128 {
  return v128.andnot(x, f32x4.lt(f32x4.abs(x), splat(f32.MIN_NORMAL_VALUE)));
}

// @ts-ignore: decorator
@inline
function sgdFour(p: usize, v: usize, g: usize, lr: f32, momentum: f32, nesterov: bool, decay: f32): void {
  const value = v128.load(p), gradient = decayed(value, v128.load(g), decay);
  let direction = gradient;
  if (v) {
    const velocity = settled(f32x4.add(f32x4.mul(v128.load(v), splat(momentum)), gradient));
    v128.store(v, velocity);
    direction = nesterov ? f32x4.add(gradient, f32x4.mul(velocity, splat(momentum))) : velocity;
  }
  v128.store(p, f32x4.sub(value, f32x4.mul(direction, splat(lr))));
}

/** v is 0 without momentum. */
export function sgd(p: usize, v: usize, g: usize, n: i32, lr: f32, momentum: f32, nesterov: bool, decay: f32): void {
  let i = 0;
  for (; i + 4 <= n; i += 4, p += 16, g += 16) {
    sgdFour(p, v, g, lr, momentum, nesterov, decay);
    if (v) v += 16;
  }
  if (i == n) return;
  const bytes = floats(n - i);
  memory.copy(tile, p, bytes);
  memory.copy(tile + 2 * SPARE, g, bytes);
  if (v) memory.copy(tile + SPARE, v, bytes);
  sgdFour(tile, v ? tile + SPARE : 0, tile + 2 * SPARE, lr, momentum, nesterov, decay);
  memory.copy(p, tile, bytes);
  if (v) memory.copy(v, tile + SPARE, bytes);
}

// @ts-ignore: decorator
@inline
function adamFour(
  p: usize, m: usize, v: usize, g: usize, beta1: f32, rest1: f32, beta2: f32, rest2: f32, epsilon: f32, size: f32,
  decay: f32, keep: f32,
): void {
  const value = v128.load(p), gradient = decayed(value, v128.load(g), decay);
  const mean = settled(mixed(v128.load(m), beta1, gradient, rest1));
  const power = settled(mixed(v128.load(v), beta2, f32x4.mul(gradient, gradient), rest2));
  v128.store(m, mean);
  v128.store(v, power);
  const direction = f32x4.mul(f32x4.div(mean, f32x4.add(f32x4.sqrt(power), splat(epsilon))), splat(size));
  v128.store(p, f32x4.sub(keep == 1 ? value : f32x4.mul(value, splat(keep)), direction));
}

/** `decay` is added to the gradient; the weights are multiplied with `keep` first, which is 1 for plain adam. */
export function adam(
  p: usize, m: usize, v: usize, g: usize, n: i32, beta1: f32, rest1: f32, beta2: f32, rest2: f32, epsilon: f32,
  size: f32, decay: f32, keep: f32,
): void {
  let i = 0;
  for (; i + 4 <= n; i += 4, p += 16, m += 16, v += 16, g += 16) {
    adamFour(p, m, v, g, beta1, rest1, beta2, rest2, epsilon, size, decay, keep);
  }
  if (i == n) return;
  const bytes = floats(n - i);
  toTile(p, m, v, g, bytes);
  adamFour(tile, tile + SPARE, tile + 2 * SPARE, tile + 3 * SPARE, beta1, rest1, beta2, rest2, epsilon, size, decay, keep);
  fromTile(p, m, v, bytes);
}

// @ts-ignore: decorator
@inline
function rmspropFour(
  p: usize, square: usize, mean: usize, velocity: usize, g: usize, lr: f32, rho: f32, rest: f32, epsilon: f32,
  momentum: f32, decay: f32,
): void {
  const value = v128.load(p), gradient = decayed(value, v128.load(g), decay);
  let power = settled(mixed(v128.load(square), rho, f32x4.mul(gradient, gradient), rest));
  v128.store(square, power);
  if (mean) {
    const average = settled(mixed(v128.load(mean), rho, gradient, rest));
    v128.store(mean, average);
    power = f32x4.sub(power, f32x4.mul(average, average));
    power = v128.andnot(power, f32x4.lt(power, splat(0)));
  }
  let step = f32x4.div(gradient, f32x4.add(f32x4.sqrt(power), splat(epsilon)));
  if (velocity) {
    step = settled(f32x4.add(f32x4.mul(v128.load(velocity), splat(momentum)), step));
    v128.store(velocity, step);
  }
  v128.store(p, f32x4.sub(value, f32x4.mul(step, splat(lr))));
}

/** `mean` is 0 unless centred, `velocity` is 0 without momentum. */
export function rmsprop(
  p: usize, square: usize, mean: usize, velocity: usize, g: usize, n: i32, lr: f32, rho: f32, rest: f32, epsilon: f32,
  momentum: f32, decay: f32,
): void {
  let i = 0;
  for (; i + 4 <= n; i += 4, p += 16, square += 16, g += 16) {
    rmspropFour(p, square, mean, velocity, g, lr, rho, rest, epsilon, momentum, decay);
    if (mean) mean += 16;
    if (velocity) velocity += 16;
  }
  if (i == n) return;
  const bytes = floats(n - i);
  toTile(p, square, mean, g, bytes);
  if (velocity) memory.copy(tile + 4 * SPARE, velocity, bytes);
  rmspropFour(
    tile, tile + SPARE, mean ? tile + 2 * SPARE : 0, velocity ? tile + 4 * SPARE : 0, tile + 3 * SPARE, lr, rho, rest,
    epsilon, momentum, decay,
  );
  fromTile(p, square, mean, bytes);
  if (velocity) memory.copy(velocity, tile + 4 * SPARE, bytes);
}

// @ts-ignore: decorator
@inline
function adagradFour(p: usize, sum: usize, g: usize, lr: f32, start: f32, epsilon: f32, decay: f32): void {
  const value = v128.load(p), gradient = decayed(value, v128.load(g), decay);
  const total = f32x4.add(v128.load(sum), f32x4.mul(gradient, gradient));
  v128.store(sum, total);
  const whole = start == 0 ? total : f32x4.add(total, splat(start));
  const step = f32x4.div(gradient, f32x4.add(f32x4.sqrt(whole), splat(epsilon)));
  v128.store(p, f32x4.sub(value, f32x4.mul(step, splat(lr))));
}

export function adagrad(p: usize, sum: usize, g: usize, n: i32, lr: f32, start: f32, epsilon: f32, decay: f32): void {
  let i = 0;
  for (; i + 4 <= n; i += 4, p += 16, sum += 16, g += 16) adagradFour(p, sum, g, lr, start, epsilon, decay);
  if (i == n) return;
  const bytes = floats(n - i);
  toTile(p, sum, 0, g, bytes);
  adagradFour(tile, tile + SPARE, tile + 3 * SPARE, lr, start, epsilon, decay);
  fromTile(p, sum, 0, bytes);
}

// @ts-ignore: decorator
@inline
function adadeltaFour(
  p: usize, square: usize, delta: usize, g: usize, lr: f32, rho: f32, rest: f32, epsilon: f32, decay: f32,
): void {
  const value = v128.load(p), gradient = decayed(value, v128.load(g), decay), last = v128.load(delta);
  const power = settled(mixed(v128.load(square), rho, f32x4.mul(gradient, gradient), rest));
  v128.store(square, power);
  const above = f32x4.sqrt(f32x4.add(last, splat(epsilon))), below = f32x4.sqrt(f32x4.add(power, splat(epsilon)));
  const step = f32x4.mul(f32x4.div(above, below), gradient);
  v128.store(delta, settled(mixed(last, rho, f32x4.mul(step, step), rest)));
  v128.store(p, f32x4.sub(value, f32x4.mul(step, splat(lr))));
}

export function adadelta(
  p: usize, square: usize, delta: usize, g: usize, n: i32, lr: f32, rho: f32, rest: f32, epsilon: f32, decay: f32,
): void {
  let i = 0;
  for (; i + 4 <= n; i += 4, p += 16, square += 16, delta += 16, g += 16) {
    adadeltaFour(p, square, delta, g, lr, rho, rest, epsilon, decay);
  }
  if (i == n) return;
  const bytes = floats(n - i);
  toTile(p, square, delta, g, bytes);
  adadeltaFour(tile, tile + SPARE, tile + 2 * SPARE, tile + 3 * SPARE, lr, rho, rest, epsilon, decay);
  fromTile(p, square, delta, bytes);
}

// @ts-ignore: decorator
@inline
function lionFour(
  p: usize, m: usize, g: usize, lr: f32, beta1: f32, rest1: f32, beta2: f32, rest2: f32, keep: f32,
): void {
  const value = v128.load(p), gradient = v128.load(g), last = v128.load(m);
  const direction = mixed(last, beta1, gradient, rest1);
  const up = v128.and(splat(1), f32x4.gt(direction, splat(0))), down = v128.and(splat(1), f32x4.lt(direction, splat(0)));
  const kept = keep == 1 ? value : f32x4.mul(value, splat(keep));
  v128.store(p, f32x4.sub(kept, f32x4.mul(f32x4.sub(up, down), splat(lr))));
  v128.store(m, mixed(last, beta2, gradient, rest2));
}

export function lion(
  p: usize, m: usize, g: usize, n: i32, lr: f32, beta1: f32, rest1: f32, beta2: f32, rest2: f32, keep: f32,
): void {
  let i = 0;
  for (; i + 4 <= n; i += 4, p += 16, m += 16, g += 16) lionFour(p, m, g, lr, beta1, rest1, beta2, rest2, keep);
  if (i == n) return;
  const bytes = floats(n - i);
  toTile(p, m, 0, g, bytes);
  lionFour(tile, tile + SPARE, tile + 3 * SPARE, lr, beta1, rest1, beta2, rest2, keep);
  fromTile(p, m, 0, bytes);
}

function toTile(p: usize, first: usize, second: usize, g: usize, bytes: usize): void {
  memory.fill(tile, 0, 5 * SPARE);
  memory.copy(tile, p, bytes);
  memory.copy(tile + SPARE, first, bytes);
  if (second) memory.copy(tile + 2 * SPARE, second, bytes);
  memory.copy(tile + 3 * SPARE, g, bytes);
}

function fromTile(p: usize, first: usize, second: usize, bytes: usize): void {
  memory.copy(p, tile, bytes);
  memory.copy(first, tile + SPARE, bytes);
  if (second) memory.copy(second, tile + 2 * SPARE, bytes);
}
