import { product } from './product.js';
import { at, type Floats, gate, gateSlope, type SequenceSizes, tanh, tanhSlope } from './recurrent.js';

const f = Math.fround;

interface Lstm {
  /** Input, forget, candidate and output, before their activations; after them when the step is over. */
  readonly gates: Floats;
  readonly weights: Floats;
  readonly bias?: Floats;
  /** From the state before the first step on. */
  readonly cells: Floats;
  readonly hidden: Floats;
}

export function lstm(
  given: Lstm,
  s: SequenceSizes,
): Record<'gates' | 'cells' | 'hidden' | 'squashed', Floats> {
  const { units } = s;
  const [gates, cells, hidden] = [given.gates.slice(), given.cells.slice(), given.hidden.slice()];
  const squashed = new Float32Array(at(s, s.time - 1, s.batch));
  for (let t = 0; t < s.time; t++) {
    for (let b = 0; b < s.batch; b++) {
      const [own, next] = [at(s, t, b), at(s, t + 1, b)];
      const inner = product(hidden.subarray(own), given.weights, { m: 1, n: 4 * units, k: units });
      const z = gates.subarray(4 * own, 4 * own + 4 * units);
      for (let u = 0; u < 4 * units; u++) {
        z[u]! += inner[u]!;
        if (given.bias) z[u]! += given.bias[u]!;
      }
      const part = (i: number): Floats => z.slice(i * units, (i + 1) * units);
      z.set(gate(s.hard, part(0)), 0);
      z.set(gate(s.hard, part(1)), units);
      z.set(tanh(part(2)), 2 * units);
      z.set(gate(s.hard, part(3)), 3 * units);
      const [i, forget, candidate, o] = [part(0), part(1), part(2), part(3)] as const;
      for (let u = 0; u < units; u++) {
        cells[next + u] = f(forget[u]! * cells[own + u]!) + f(i[u]! * candidate[u]!);
      }
      const y = tanh(cells.slice(next, next + units));
      squashed.set(y, own);
      for (let u = 0; u < units; u++) hidden[next + u] = o[u]! * y[u]!;
    }
  }
  return { gates, cells, hidden, squashed };
}

type LstmBack = Record<'gates' | 'weights' | 'cells' | 'squashed' | 'dHidden' | 'dh' | 'dc', Floats>;

/** From the last step to the first. `dGates` is written where sequences are, and as it was between them. */
export function lstmGradient(
  given: LstmBack,
  before: Floats,
  s: SequenceSizes,
): Record<'dGates' | 'dh' | 'dc', Floats> {
  const { units, hard } = s;
  const [dh, dc, dGates] = [given.dh.slice(), given.dc.slice(), before.slice()];
  for (let t = s.time - 1; t >= 0; t--) {
    for (let b = 0; b < s.batch; b++) {
      const own = at(s, t, b);
      for (let u = 0; u < units; u++) {
        const [i, forget, candidate, o] = [0, 1, 2, 3].map(
          (part) => given.gates[4 * own + part * units + u]!,
        ) as [number, number, number, number];
        const y = given.squashed[own + u]!;
        const d = f(given.dHidden[own + u]! + dh[b * units + u]!);
        const dCell = f(dc[b * units + u]! + f(f(d * o) * tanhSlope(y)));
        dGates[4 * own + u] = f(dCell * candidate) * gateSlope(hard, i);
        dGates[4 * own + units + u] = f(dCell * given.cells[own + u]!) * gateSlope(hard, forget);
        dGates[4 * own + 2 * units + u] = f(dCell * i) * tanhSlope(candidate);
        dGates[4 * own + 3 * units + u] = f(d * y) * gateSlope(hard, o);
        dc[b * units + u] = dCell * forget;
      }
      const sizes = { m: 1, n: units, k: 4 * units, transposeB: true };
      dh.set(product(dGates.subarray(4 * own), given.weights, sizes), b * units);
    }
  }
  return { dGates, dh, dc };
}
