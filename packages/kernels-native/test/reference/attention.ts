import { product } from './product.js';
import { softmax, softmaxGradient } from './rows.js';

export interface AttentionSizes {
  readonly batch: number;
  readonly heads: number;
  readonly time: number;
  readonly keys: number;
  readonly depth: number;
  readonly width: number;
  readonly scale: number;
}

type Floats = Float32Array;

/** Heads lie side by side in a row: of one of them, `width` columns of each of `count` rows. */
function head(x: Floats, s: AttentionSizes, at: number, count: number, width: number): Floats {
  return Float32Array.from({ length: count * width }, (_, i) => x[placeOf(s, at, count, width, i)]!);
}

function putHead(
  to: Floats,
  from: Floats,
  s: AttentionSizes,
  at: number,
  count: number,
  width: number,
): void {
  for (let i = 0; i < from.length; i++) to[placeOf(s, at, count, width, i)] = from[i]!;
}

function placeOf({ heads }: AttentionSizes, at: number, count: number, width: number, i: number): number {
  const [sample, own] = [Math.floor(at / heads), at % heads];
  return ((sample * count + Math.floor(i / width)) * heads + own) * width + (i % width);
}

const scaled = (x: Floats, factor: number): Floats => x.map((each) => each * Math.fround(factor));

/** A row of weights is for one moment; with `causal` it sees the keys up to its own, and the others count nothing. */
export function attention(
  { query, key, value }: Record<'query' | 'key' | 'value', Floats>,
  s: AttentionSizes,
  causal = false,
): { out: Floats; weights: Floats } {
  const { time, keys, depth, width } = s;
  const pairs = s.batch * s.heads;
  const [out, weights] = [new Float32Array(pairs * time * width), new Float32Array(pairs * time * keys)];
  for (let at = 0; at < pairs; at++) {
    const [q, k] = [head(query, s, at, time, depth), head(key, s, at, keys, depth)];
    const scores = scaled(product(q, k, { m: time, n: keys, k: depth, transposeB: true }), s.scale);
    const own = new Float32Array(time * keys);
    for (let r = 0; r < time; r++) {
      const seen = causal ? r + 1 : keys;
      own.set(softmax(scores.slice(r * keys, r * keys + seen), seen), r * keys);
    }
    weights.set(own, at * time * keys);
    const mixed = product(own, head(value, s, at, keys, width), { m: time, n: width, k: keys });
    putHead(out, mixed, s, at, time, width);
  }
  return { out, weights };
}

export function attentionGradient(
  { query, key, value, weights, dy }: Record<'query' | 'key' | 'value' | 'weights' | 'dy', Floats>,
  s: AttentionSizes,
): Record<'dQuery' | 'dKey' | 'dValue', Floats> {
  const { time, keys, depth, width } = s;
  const [dQuery, dKey, dValue] = [query.slice(), key.slice(), value.slice()];
  for (let at = 0; at < s.batch * s.heads; at++) {
    const [d, own] = [head(dy, s, at, time, width), weights.slice(at * time * keys, (at + 1) * time * keys)];
    const v = head(value, s, at, keys, width);
    const dWeights = product(d, v, { m: time, n: keys, k: width, transposeB: true });
    const dScores = scaled(softmaxGradient(dWeights, own, keys), s.scale);
    const mixed = product(own, d, { m: keys, n: width, k: time, transposeA: true });
    putHead(dValue, mixed, s, at, keys, width);
    const [q, k] = [head(query, s, at, time, depth), head(key, s, at, keys, depth)];
    putHead(dQuery, product(dScores, k, { m: time, n: depth, k: keys }), s, at, time, depth);
    const toKey = product(dScores, q, { m: keys, n: depth, k: time, transposeA: true });
    putHead(dKey, toKey, s, at, keys, depth);
  }
  return { dQuery, dKey, dValue };
}
