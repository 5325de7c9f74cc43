import { expect } from 'vitest';
import { type Instructions, loadKernels } from '../../src/index.js';
import { argumentsOf } from './argument-names.js';

export const kernels = loadKernels();

if (!kernels) console.log('the numbers of native kernels are not tested: there is no binary here');

/** What this processor has. Every call of the bench runs on each, and must give the same bits. */
const SETS: readonly Instructions[] = kernels?.instructions === 'avx512' ? ['avx2', 'avx512'] : ['avx2'];

type Numbers = Float32Array | readonly number[];

export interface BenchCall {
  /** Operands that the kernel reads and must leave as they are. */
  readonly inputs?: Readonly<Record<string, Numbers>>;
  /** Operands that it writes: so many floats of no meaning, or what is in them before. */
  readonly outputs?: Readonly<Record<string, number | Numbers>>;
  /** The other arguments. Operands that are left out are 0. */
  readonly values?: Readonly<Record<string, number | boolean>>;
  /** One place for two operands: the first is where the second is. */
  readonly same?: Readonly<Record<string, string>>;
}

const GUARD = 24;
const GUARD_BITS = 0x7fabcdef;
const MEANINGLESS = 12345.678;

/**
 * Calls a kernel on a memory of its own, with operands at odd places and guards around each. Whatever it writes besides
 * its outputs fails. Gives the outputs by name.
 */
export function call(name: string, given: BenchCall): Record<string, Float32Array> {
  const results = SETS.map((instructions) => callWith(instructions, name, given));
  for (const [operand, numbers] of Object.entries(results[0]!)) {
    for (const other of results.slice(1)) {
      expect(bitsOf(other[operand]!), `${name}: ${operand} of ${SETS.join(' and ')}`).toEqual(
        bitsOf(numbers),
      );
    }
  }
  return results[0]!;
}

function callWith(instructions: Instructions, name: string, given: BenchCall): Record<string, Float32Array> {
  expect(kernels!.limitTo(instructions)).toBe(instructions);
  const { memory, places } = layOut(given);
  const before = new Int32Array(memory.slice().buffer);
  const values: Record<string, number | boolean> = { ...given.values };
  for (const [operand, { at }] of places) values[operand] = at * 4;
  for (const [operand, other] of Object.entries(given.same ?? {})) values[operand] = values[other]!;
  const args = argumentsOf(name).map((each) => values[each] ?? 0);
  const unknown = Object.keys(values).filter((each) => !argumentsOf(name).includes(each));
  expect(unknown, `${name} has no such arguments`).toEqual([]);
  expect(kernels!.bind(name, () => memory)(...args), `${name} is computed`).toBe(true);
  const after = new Int32Array(memory.buffer);
  const numbers = new Float32Array(memory.buffer);
  const outputs: Record<string, Float32Array> = {};
  for (const [operand, { at, count }] of places) {
    if (!(operand in (given.outputs ?? {}))) continue;
    outputs[operand] = numbers.slice(at, at + count);
    after.set(before.subarray(at, at + count), at);
  }
  const touched = after.findIndex((bits, i) => bits !== before[i]);
  if (touched >= 0) expect.fail(`${name} wrote to ${describePlace(touched, places)}`);
  return outputs;
}

interface Place {
  readonly at: number;
  readonly count: number;
}

function layOut({ inputs = {}, outputs = {} }: BenchCall): {
  memory: Uint8Array;
  places: Map<string, Place>;
} {
  const places = new Map<string, Place>();
  const contents = new Map<string, Numbers | undefined>();
  let end = GUARD;
  for (const [operand, content] of [...Object.entries(inputs), ...Object.entries(outputs)]) {
    const count = typeof content === 'number' ? content : content.length;
    places.set(operand, { at: end, count });
    contents.set(operand, typeof content === 'number' ? undefined : content);
    // An odd distance: no operand is aligned to more than a float, and none to the next as another is.
    end += count + GUARD + (places.size % 7);
  }
  const words = new Int32Array(end).fill(GUARD_BITS);
  const numbers = new Float32Array(words.buffer);
  for (const [operand, { at, count }] of places) {
    numbers.fill(MEANINGLESS, at, at + count);
    const content = contents.get(operand);
    if (content) numbers.set(content, at);
  }
  return { memory: new Uint8Array(words.buffer), places };
}

function describePlace(at: number, places: ReadonlyMap<string, Place>): string {
  for (const [operand, place] of places) {
    if (at >= place.at && at < place.at + place.count)
      return `its operand ${operand}, float ${at - place.at}`;
  }
  return `the guards, at float ${at}`;
}

function bitsOf(numbers: Float32Array): Int32Array {
  return new Int32Array(numbers.slice().buffer).map((bits) =>
    (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits,
  );
}
