import { describe, expect, it } from 'vitest';
import { gru, gruGradient } from './reference/gru.js';
import { lstm, lstmGradient } from './reference/lstm.js';
import { floatsOf, type SequenceSizes } from './reference/recurrent.js';
import { type BenchCall, call, kernels } from './support/bench.js';
import { expectBits } from './support/bits.js';
import { floats, specialFloats } from './support/numbers.js';

const sequences = (time: number, batch: number, units: number, all = batch): SequenceSizes => ({
  ...{ time, batch, units, all },
  hard: false,
});

const SHAPES: Readonly<Record<string, SequenceSizes>> = {
  'one step of one sequence of one unit': sequences(1, 1, 1),
  'a sequence of length 1': sequences(1, 3, 5),
  'several steps': sequences(4, 3, 7),
  'a vector of units': sequences(2, 2, 8),
  'one unit more than a vector': sequences(2, 2, 9),
  'a wide vector and more': sequences(2, 2, 17),
  'as many sequences as are computed at a time': sequences(2, 24, 3),
  'one sequence more': sequences(2, 25, 3),
  'some of the sequences in memory': sequences(3, 3, 7, 5),
  'more units than a product sums at a time in the gradient': sequences(2, 1, 65),
  'more units than two gates sum at a time': sequences(1, 2, 129),
  'more units than a product sums at a time': sequences(1, 1, 258),
};

type Numbers = (count: number, seed: number) => Float32Array;

/** Every output is compared where sequences lie; what is between them stays as it was. */
function check(
  name: string,
  inputs: Readonly<Record<string, Float32Array>>,
  before: Readonly<Record<string, Float32Array | number>>,
  s: SequenceSizes,
  expected: Readonly<Record<string, Float32Array>>,
): void {
  const given: BenchCall = { inputs, outputs: before, values: { ...s } };
  const actual = call(name, given);
  for (const [key, numbers] of Object.entries(expected)) {
    const old = before[key]!;
    const whole = typeof old === 'number' ? numbers : between(old, numbers, s, key);
    expectBits(actual[key]!, whole, `${key} of ${name}`);
  }
}

/** A step writes the sequences that it computes; those that others compute lie behind them. */
function between(old: Float32Array, numbers: Float32Array, s: SequenceSizes, key: string): Float32Array {
  if (key !== 'squashed' && key !== 'resetHidden') return numbers;
  const [step, own] = [s.all * s.units, s.batch * s.units];
  return numbers.map((each, i) => (i % step < own ? each : old[i]!));
}

const states = (s: SequenceSizes): number => s.all * s.units + floatsOf(s);

function checkLstm(s: SequenceSizes, { numbers = floats as Numbers, bias = false } = {}): void {
  const { units } = s;
  const inputs = { weights: numbers(4 * units * units, 1), ...(bias && { bias: numbers(4 * units, 2) }) };
  const before = {
    gates: numbers(floatsOf(s, 4), 3),
    cells: numbers(states(s), 4),
    hidden: numbers(states(s), 5),
    squashed: numbers(floatsOf(s), 6),
  };
  check('lstm', inputs, before, s, lstm({ ...inputs, ...before }, s));
}

function checkLstmGradient(s: SequenceSizes, { numbers = floats as Numbers } = {}): void {
  const inputs = {
    gates: floats(floatsOf(s, 4), 1, -0.2, 1.2),
    weights: numbers(4 * s.units * s.units, 2),
    cells: numbers(floatsOf(s), 3),
    squashed: numbers(floatsOf(s), 4),
    dHidden: numbers(floatsOf(s), 5),
  };
  const before = {
    dh: numbers(s.batch * s.units, 6),
    dc: numbers(s.batch * s.units, 7),
    dGates: numbers(floatsOf(s, 4), 8),
  };
  check('lstmGradient', inputs, before, s, lstmGradient({ ...inputs, ...before }, before.dGates, s));
}

function checkGru(s: SequenceSizes, { numbers = floats as Numbers } = {}): void {
  const { units } = s;
  const inputs = { weights: numbers(2 * units * units, 1), candidate: numbers(units * units, 2) };
  const before = {
    gates: numbers(floatsOf(s, 3), 3),
    hidden: numbers(states(s), 4),
    resetHidden: numbers(floatsOf(s), 5),
    inner: 2 * s.batch * units,
  };
  check('gru', inputs, before, s, gru({ ...inputs, ...before }, s));
}

function checkGruGradient(s: SequenceSizes, { numbers = floats as Numbers } = {}): void {
  const state = s.batch * s.units;
  const inputs = {
    gates: floats(floatsOf(s, 3), 1, -0.2, 1.2),
    weights: numbers(2 * s.units * s.units, 2),
    candidate: numbers(s.units * s.units, 3),
    hidden: numbers(states(s), 4),
    dHidden: numbers(floatsOf(s), 5),
  };
  const before = { dGates: numbers(floatsOf(s, 3), 6), dh: state, inner: state, pair: state };
  check('gruGradient', inputs, before, s, gruGradient(inputs, before.dGates, s));
}

const KERNELS = {
  lstm: checkLstm,
  lstmGradient: checkLstmGradient,
  gru: checkGru,
  gruGradient: checkGruGradient,
};

describe.skipIf(!kernels).each(Object.keys(KERNELS))('%s', (name) => {
  const checkKernel = KERNELS[name as keyof typeof KERNELS];

  it.each(Object.keys(SHAPES))('has the right bits for %s', (shape) => {
    checkKernel(SHAPES[shape]!);
  });

  it('has the right bits with hard gates', () => {
    for (const shape of [sequences(3, 2, 5), sequences(2, 3, 17, 4)]) checkKernel({ ...shape, hard: true });
  });

  it.each([false, true])('keeps special numbers where they belong, with hard gates: %s', (hard) => {
    const numbers: Numbers = (count, seed) => specialFloats(count, seed, 60);
    checkKernel({ ...sequences(2, 3, 9), hard }, { numbers });
  });

  it('refuses more sequences than there are in memory', () => {
    const run = kernels!.bind(name, () => new Uint8Array(1 << 16));
    const operands = { lstm: 8, lstmGradient: 9, gru: 6, gruGradient: 9 }[name]!;
    const attempt = (): boolean => run(...Array<number>(operands).fill(1024), 2, 3, 4, 0, 2);
    expect(attempt).toThrow(expect.objectContaining({ code: 'BAD_ARGUMENT' }));
    expect(attempt).toThrow('`all` is 2');
  });
});

describe.skipIf(!kernels)('lstm', () => {
  it('adds a bias of its own to what comes from the input', () => {
    for (const units of [3, 8, 19]) checkLstm(sequences(3, 2, units), { bias: true });
  });

  it('gives sequences the same bits in parts as together', () => {
    const s = sequences(3, 5, 9);
    const inputs = { weights: floats(4 * 81, 1) };
    const before = {
      gates: floats(floatsOf(s, 4), 2),
      cells: floats(states(s), 3),
      hidden: floats(states(s), 4),
    };
    const outputs = { ...before, squashed: floatsOf(s) };
    const whole = call('lstm', { inputs, outputs, values: { ...s } });
    const first = 2;
    const part = { ...s, batch: s.batch - first, all: s.batch };
    const skip = first * s.units;
    const rest = call('lstm', {
      inputs,
      outputs: {
        gates: before.gates.slice(4 * skip),
        cells: before.cells.slice(skip),
        hidden: before.hidden.slice(skip),
        squashed: floatsOf(part),
      },
      values: { ...part },
    });
    const last = (s.time * s.batch + first) * s.units;
    expectBits(rest.hidden!.slice(last - skip), whole.hidden!.slice(last), 'the last hidden states');
    expectBits(rest.cells!.slice(last - skip), whole.cells!.slice(last), 'the last cells');
  });
});
