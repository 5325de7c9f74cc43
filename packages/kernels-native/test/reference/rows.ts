import { unary } from '../support/functions.js';
import { fused } from '../support/fused.js';

const f = Math.fround;

/** Four sums for the columns 0, 4, 8..., 1, 5, 9... and so on; what is left of a row has one of its own. */
export function fourSums(
  width: number,
  add: (sum: number, c: number) => number,
  addRest: (sum: number, c: number) => number,
): number {
  const lanes: [number, number, number, number] = [0, 0, 0, 0];
  let rest = 0;
  const fours = width - (width % 4);
  for (let c = 0; c < fours; c++) lanes[c % 4] = add(lanes[c % 4]!, c);
  for (let c = fours; c < width; c++) rest = addRest(rest, c);
  return f(rest + f(f(lanes[0] + lanes[1]) + f(lanes[2] + lanes[3])));
}

/** Blocks of 512 with eight sums each, which are added as doubles; what is left of a block comes before its sums. */
export function sumOfRow(x: Float32Array): number {
  let total = 0;
  for (let from = 0; from < x.length; from += 512) {
    const block = x.subarray(from, from + 512);
    const lanes = new Float32Array(8);
    const whole = block.length - (block.length % 8);
    for (let c = 0; c < whole; c++) lanes[c % 8]! += block[c]!;
    for (let c = whole; c < block.length; c++) total += block[c]!;
    const [a, b, c, d] = [0, 1, 2, 3].map((lane) => f(lanes[lane]! + lanes[lane + 4]!)) as [
      number,
      number,
      number,
      number,
    ];
    total += f(f(a + b) + f(c + d));
  }
  return total;
}

/** 128 rows at a time. */
export function columnSums(x: Float32Array, height: number, width: number): Float32Array {
  const total = new Float32Array(width);
  for (let r0 = 0; r0 < height; r0 += 128) {
    const sum = new Float32Array(width);
    for (let r = r0; r < Math.min(height, r0 + 128); r++) {
      for (let c = 0; c < width; c++) sum[c]! += x[r * width + c]!;
    }
    for (let c = 0; c < width; c++) total[c]! += sum[c]!;
  }
  return total;
}

/** With the addon's own function exp, which has a test of its own. */
export function softmax(x: Float32Array, width: number): Float32Array {
  const rows = [];
  for (let at = 0; at < x.length; at += width) {
    const row = x.subarray(at, at + width);
    const largest = Math.max(...row.filter((each) => !Number.isNaN(each)));
    const powers = unary(
      'exp',
      row.map((each) => each - largest),
    );
    const add = (sum: number, c: number): number => f(sum + powers[c]!);
    const total = fourSums(width, add, add);
    rows.push(powers.map((each) => each / total));
  }
  return Float32Array.from(rows.flatMap((row) => [...row]));
}

export function softmaxGradient(dy: Float32Array, y: Float32Array, width: number): Float32Array {
  const out = new Float32Array(dy.length);
  for (let at = 0; at < dy.length; at += width) {
    const total = fourSums(
      width,
      (sum, c) => fused(dy[at + c]!, y[at + c]!, sum),
      (sum, c) => f(sum + f(dy[at + c]! * y[at + c]!)),
    );
    for (let c = at; c < at + width; c++) out[c] = f(dy[c]! - total) * y[c]!;
  }
  return out;
}
