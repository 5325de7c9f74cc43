import { product } from './product.js';
import { at, type Floats, gate, gateSlope, type SequenceSizes, tanh, tanhSlope } from './recurrent.js';

const f = Math.fround;

interface Gru {
  /** Update, reset and candidate, before their activations; after them when the step is over. */
  readonly gates: Floats;
  readonly weights: Floats;
  readonly candidate: Floats;
  /** From the state before the first step on. */
  readonly hidden: Floats;
}

export function gru(given: Gru, s: SequenceSizes): Record<'gates' | 'hidden' | 'resetHidden', Floats> {
  const { units } = s;
  const [gates, hidden] = [given.gates.slice(), given.hidden.slice()];
  const resetHidden = new Float32Array(at(s, s.time - 1, s.batch));
  for (let t = 0; t < s.time; t++) {
    for (let b = 0; b < s.batch; b++) {
      const [own, next] = [at(s, t, b), at(s, t + 1, b)];
      const before = hidden.slice(own, own + units);
      const z = gates.subarray(3 * own, 3 * own + 3 * units);
      const inner = product(before, given.weights, { m: 1, n: 2 * units, k: units });
      z.set(
        gate(
          s.hard,
          Float32Array.from(inner, (each, u) => each + z[u]!),
        ),
        0,
      );
      const reset = before.map((each, u) => z[units + u]! * each);
      resetHidden.set(reset, own);
      const mixed = product(reset, given.candidate, { m: 1, n: units, k: units });
      z.set(tanh(mixed.map((each, u) => z[2 * units + u]! + each)), 2 * units);
      for (let u = 0; u < units; u++) {
        hidden[next + u] = f(z[u]! * before[u]!) + f(f(1 - z[u]!) * z[2 * units + u]!);
      }
    }
  }
  return { gates, hidden, resetHidden };
}

type GruBack = Record<'gates' | 'weights' | 'candidate' | 'hidden' | 'dHidden', Floats>;

/** From the last step to the first. `dGates` is written where sequences are, and as it was between them. */
export function gruGradient(
  given: GruBack,
  before: Floats,
  s: SequenceSizes,
): Record<'dGates' | 'dh', Floats> {
  const { units, hard, batch } = s;
  const dGates = before.slice();
  const last = at(s, s.time - 1, 0);
  const dh = given.dHidden.slice(last, last + batch * units);
  for (let t = s.time - 1; t >= 0; t--) {
    for (let b = 0; b < batch; b++) {
      const own = at(s, t, b);
      const state = dh.subarray(b * units, (b + 1) * units);
      const z = (part: number, u: number): number => given.gates[3 * own + part * units + u]!;
      const dz = dGates.subarray(3 * own, 3 * own + 3 * units);
      for (let u = 0; u < units; u++) {
        const d = state[u]!;
        const dUpdate = f(f(d * given.hidden[own + u]!) - f(d * z(2, u)));
        dz[u] = dUpdate * gateSlope(hard, z(0, u));
        dz[2 * units + u] = f(d * f(1 - z(0, u))) * tanhSlope(z(2, u));
        state[u] = f(d * z(0, u)) + (t > 0 ? given.dHidden[at(s, t - 1, b) + u]! : 0);
      }
      const back = { m: 1, n: units, k: units, transposeB: true };
      const pair = product(dz.slice(2 * units), given.candidate, back);
      for (let u = 0; u < units; u++) {
        dz[units + u] = f(pair[u]! * given.hidden[own + u]!) * gateSlope(hard, z(1, u));
        state[u]! += f(pair[u]! * z(1, u));
      }
      const toState = product(dz, given.weights, { ...back, k: 2 * units, rowB: 2 * units });
      for (let u = 0; u < units; u++) state[u]! += toState[u]!;
    }
  }
  return { dGates, dh };
}
