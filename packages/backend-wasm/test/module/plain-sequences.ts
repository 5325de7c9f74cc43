import type { Plain } from './plain-memory.js';
import { softmaxOf } from './plain-numbers.js';
import { total } from './plain-products.js';

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
const hardSigmoid = (x: number) => Math.min(Math.max(0.2 * x + 0.5, 0), 1);
const gate = (hard: number) => (hard ? hardSigmoid : sigmoid);
const gateSlope = (hard: number) => (y: number) => (hard ? (y > 0 && y < 1 ? 0.2 : 0) : y * (1 - y));
const tanhSlope = (y: number) => 1 - y * y;

export const PLAIN_SEQUENCES: Readonly<Record<string, Plain>> = {
  attention: (
    memory,
    query,
    key,
    value,
    out,
    weights,
    batch,
    heads,
    time,
    keys,
    depth,
    width,
    scale,
    causal,
  ) => {
    eachRow(batch!, heads!, time!, (b, h, r) => {
      const seen = causal ? r + 1 : keys!;
      const scores = Array.from({ length: seen }, (_, k) =>
        total(depth!, (d) => {
          const q = memory.get(query!, ((b * time! + r) * heads! + h) * depth! + d);
          return scale! * q * memory.get(key!, ((b * keys! + k) * heads! + h) * depth! + d);
        }),
      );
      const row = softmaxOf(scores);
      for (let k = 0; k < keys!; k++)
        memory.put(weights!, ((b * heads! + h) * time! + r) * keys! + k, row[k] ?? 0);
      for (let c = 0; c < width!; c++)
        memory.put(
          out!,
          ((b * time! + r) * heads! + h) * width! + c,
          total(seen, (k) => row[k]! * memory.get(value!, ((b * keys! + k) * heads! + h) * width! + c)),
        );
    });
  },

  attentionGradient: (memory, query, key, value, weights, dy, dQuery, dKey, dValue, spare, ...sizes) => {
    const [batch, heads, time, keys, depth, width, scale] = sizes as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    memory.release(spare!, time * keys);
    for (let i = 0; i < batch * keys * heads * depth; i++) memory.put(dKey!, i, 0);
    for (let i = 0; i < batch * keys * heads * width; i++) memory.put(dValue!, i, 0);
    eachRow(batch, heads, time, (b, h, r) => {
      const rowOf = (rows: number, row: number, size: number) => ((b * rows + row) * heads + h) * size;
      const weight = (k: number) => memory.get(weights!, ((b * heads + h) * time + r) * keys + k);
      const arriving = (c: number) => memory.get(dy!, rowOf(time, r, width) + c);
      const dWeight = Array.from({ length: keys }, (_, k) =>
        total(width, (c) => arriving(c) * memory.get(value!, rowOf(keys, k, width) + c)),
      );
      const dot = total(keys, (k) => weight(k) * dWeight[k]!);
      const dScore = dWeight.map((d, k) => scale * weight(k) * (d - dot));
      for (let d = 0; d < depth; d++)
        memory.put(
          dQuery!,
          rowOf(time, r, depth) + d,
          total(keys, (k) => dScore[k]! * memory.get(key!, rowOf(keys, k, depth) + d)),
        );
      for (let k = 0; k < keys; k++) {
        for (let d = 0; d < depth; d++)
          memory.add(
            dKey!,
            rowOf(keys, k, depth) + d,
            dScore[k]! * memory.get(query!, rowOf(time, r, depth) + d),
          );
        for (let c = 0; c < width; c++)
          memory.add(dValue!, rowOf(keys, k, width) + c, weight(k) * arriving(c));
      }
    });
  },

  lstm: (memory, gates, weights, bias, cells, hidden, squashed, inner, packed, time, batch, units, hard) => {
    memory.release(inner!, 12 * 4 * units!);
    memory.release(packed!, units! * (4 * units! + 8));
    const f = gate(hard!);
    for (let s = 0; s < time! * batch!; s++) {
      const sums = Array.from({ length: 4 * units! }, (_, j) => {
        const own = total(
          units!,
          (u) => memory.get(hidden!, s * units! + u) * memory.get(weights!, u * 4 * units! + j),
        );
        return memory.get(gates!, s * 4 * units! + j) + own + (bias ? memory.get(bias, j) : 0);
      });
      for (let u = 0; u < units!; u++) {
        const values = [
          f(sums[u]!),
          f(sums[units! + u]!),
          Math.tanh(sums[2 * units! + u]!),
          f(sums[3 * units! + u]!),
        ];
        for (const [j, value] of values.entries()) memory.put(gates!, s * 4 * units! + j * units! + u, value);
        const [i, forget, g, o] = values as [number, number, number, number];
        const cell = forget * memory.get(cells!, s * units! + u) + i * g;
        memory.put(cells!, (s + batch!) * units! + u, cell);
        memory.put(squashed!, s * units! + u, Math.tanh(cell));
        memory.put(hidden!, (s + batch!) * units! + u, o * Math.tanh(cell));
      }
    }
  },

  lstmGradient: (
    memory,
    gates,
    weights,
    cells,
    squashed,
    dHidden,
    dh,
    dc,
    dGates,
    packed,
    time,
    batch,
    units,
    hard,
  ) => {
    memory.release(packed!, 4 * units! * (units! + 8));
    const slope = gateSlope(hard!);
    for (let s = time! * batch! - 1; s >= 0; s--) {
      const b = (s % batch!) * units!;
      for (let u = 0; u < units!; u++) {
        const at = (j: number) => s * 4 * units! + j * units! + u;
        const [i, f, g, o] = [0, 1, 2, 3].map((j) => memory.get(gates!, at(j))) as [
          number,
          number,
          number,
          number,
        ];
        const y = memory.get(squashed!, s * units! + u);
        const d = memory.get(dHidden!, s * units! + u) + memory.get(dh!, b + u);
        const dCell = memory.get(dc!, b + u) + d * o * tanhSlope(y);
        memory.put(dGates!, at(0), dCell * g * slope(i));
        memory.put(dGates!, at(1), dCell * memory.get(cells!, s * units! + u) * slope(f));
        memory.put(dGates!, at(2), dCell * i * tanhSlope(g));
        memory.put(dGates!, at(3), d * y * slope(o));
        memory.put(dc!, b + u, dCell * f);
      }
      for (let u = 0; u < units!; u++)
        memory.put(
          dh!,
          b + u,
          total(
            4 * units!,
            (j) => memory.get(dGates!, s * 4 * units! + j) * memory.get(weights!, u * 4 * units! + j),
          ),
        );
    }
  },

  gru: (memory, gates, weights, candidate, hidden, reset, inner, time, batch, units, hard) => {
    memory.release(inner!, 2 * batch! * units!);
    const f = gate(hard!);
    for (let s = 0; s < time! * batch!; s++) {
      const before = (u: number) => memory.get(hidden!, s * units! + u);
      const at = (j: number) => s * 3 * units! + j;
      for (let j = 0; j < 2 * units!; j++) {
        const own = total(units!, (u) => before(u) * memory.get(weights!, u * 2 * units! + j));
        memory.put(gates!, at(j), f(memory.get(gates!, at(j)) + own));
      }
      for (let u = 0; u < units!; u++)
        memory.put(reset!, s * units! + u, before(u) * memory.get(gates!, at(units! + u)));
      for (let u = 0; u < units!; u++) {
        const own = total(
          units!,
          (k) => memory.get(reset!, s * units! + k) * memory.get(candidate!, k * units! + u),
        );
        const h = Math.tanh(memory.get(gates!, at(2 * units! + u)) + own);
        const update = memory.get(gates!, at(u));
        memory.put(gates!, at(2 * units! + u), h);
        memory.put(hidden!, (s + batch!) * units! + u, update * before(u) + (1 - update) * h);
      }
    }
  },

  gruGradient: (
    memory,
    gates,
    weights,
    candidate,
    hidden,
    dHidden,
    dh,
    dGates,
    inner,
    pair,
    time,
    batch,
    units,
    hard,
  ) => {
    for (const room of [inner!, pair!]) memory.release(room, batch! * units!);
    const slope = gateSlope(hard!);
    for (let s = time! * batch! - 1; s >= 0; s--) {
      const [b, isLast] = [(s % batch!) * units!, s >= (time! - 1) * batch!];
      const at = (j: number, u: number) => s * 3 * units! + j * units! + u;
      const before = (u: number) => memory.get(hidden!, s * units! + u);
      const d = Array.from({ length: units! }, (_, u) => {
        const later = isLast ? 0 : memory.get(dh!, b + u);
        return memory.get(dHidden!, s * units! + u) + later;
      });
      for (let u = 0; u < units!; u++) {
        const [update, h] = [memory.get(gates!, at(0, u)), memory.get(gates!, at(2, u))];
        memory.put(dGates!, at(0, u), d[u]! * (before(u) - h) * slope(update));
        memory.put(dGates!, at(2, u), d[u]! * (1 - update) * tanhSlope(h));
      }
      for (let u = 0; u < units!; u++) {
        const product = total(
          units!,
          (k) => memory.get(dGates!, at(2, k)) * memory.get(candidate!, u * units! + k),
        );
        const r = memory.get(gates!, at(1, u));
        memory.put(dGates!, at(1, u), product * before(u) * slope(r));
        memory.put(dh!, b + u, d[u]! * memory.get(gates!, at(0, u)) + product * r);
      }
      for (let u = 0; u < units!; u++)
        memory.add(
          dh!,
          b + u,
          total(2 * units!, (j) => memory.get(dGates!, at(0, j)) * memory.get(weights!, u * 2 * units! + j)),
        );
    }
  },
};

/** Each row of each head of each batch. */
function eachRow(
  batch: number,
  heads: number,
  time: number,
  visit: (b: number, h: number, r: number) => void,
): void {
  for (let b = 0; b < batch; b++)
    for (let h = 0; h < heads; h++) for (let r = 0; r < time; r++) visit(b, h, r);
}
