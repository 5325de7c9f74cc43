import { describe, expect, it } from 'vitest';
import { loadKernels } from '../src/index.js';
import { argumentsOf } from './support/argument-names.js';
import { SAMPLE_CALLS, type SampleCall } from './support/sample-calls.js';

const kernels = loadKernels();
const FREE =
  /^(scale|epsilon|factor|share|beta1|rest1|beta2|rest2|size|decay|keep|code|top|left|first|end|a0|b0|a|b)$/;
/** Numbers that need not be whole. */
const FRACTION = /^(scale|epsilon|factor|share|beta1|rest1|beta2|rest2|size|decay|keep)$/;
const FLAG = /^(transposeA|transposeB|relu|add|turned|causal|hard|a2|b2)$/;
const EMPTY =
  /^(m|n|k|batch|time|units|all|heads|keys|depth|width|height|channels|filters|n0|n1|n2|outer|count|inner|out(Height|Width)|filter[HW])$/;
const BYTES = 1 << 16;
const memory = new Uint8Array(BYTES);
/** Behind everything that a call is given, so that an operand can be moved to the end of the memory. */
const FIRST = 64;

/** Every operand in a place of its own, the numbers of all the same in every call. */
function placed({ operands, values }: SampleCall): Record<string, number> {
  let at = FIRST;
  const places = operands.map(({ name, floats }) => {
    const address = at;
    at += Math.ceil(floats / 16) * 64;
    return [name, address] as const;
  });
  expect(at, 'the sample is larger than the memory').toBeLessThan(BYTES / 2);
  return { ...values, ...Object.fromEntries(places) };
}

function fill(): void {
  const floats = new Float32Array(memory.buffer);
  for (let i = 0; i < floats.length; i++) floats[i] = ((i * 37) % 101) / 101 + 0.1;
}

function run(name: string, args: Readonly<Record<string, number>>, bytes = memory): boolean {
  return kernels!.bind(name, () => bytes)(...argumentsOf(name).map((each) => args[each]!));
}

const refusal = (name: string, argument: string) =>
  expect.objectContaining({
    code: 'BAD_ARGUMENT',
    message: expect.stringContaining(`${name}: \`${argument}\` is`),
  });

describe.skipIf(!kernels)('every kernel', () => {
  it('has a sample call, which names all of its arguments', () => {
    expect(Object.keys(SAMPLE_CALLS).sort()).toEqual([...kernels!.names].sort());
    for (const [name, call] of Object.entries(SAMPLE_CALLS)) {
      const named = [...Object.keys(call.values), ...call.operands.map((each) => each.name)].sort();
      expect(named, name).toEqual([...argumentsOf(name)].sort());
    }
  });

  describe.each(Object.keys(SAMPLE_CALLS))('%s', (name) => {
    const call = SAMPLE_CALLS[name]!;
    const checked = call.operands.filter((each) => !call.unused?.includes(each.name));

    it('computes each operand up to the last byte of the memory, and refuses it one float further', () => {
      for (const { name: operand, floats } of checked) {
        const args = placed(call);
        fill();
        expect(run(name, { ...args, [operand]: BYTES - floats * 4 }), operand).toBe(true);
        expect(() => run(name, { ...args, [operand]: BYTES - floats * 4 + 4 })).toThrow(
          refusal(name, operand),
        );
      }
    });

    it('refuses addresses that are not in the memory, or between two floats', () => {
      for (const { name: operand } of checked) {
        for (const address of [-4, 66, BYTES, 2 ** 32, 2 ** 40, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
          expect(() => run(name, { ...placed(call), [operand]: address }), `${address}`).toThrow(
            refusal(name, operand),
          );
        }
      }
    });

    it('refuses everything that should be a whole number and is none, by its name', () => {
      fill();
      const before = memory.slice();
      for (const argument of Object.keys(call.values).filter((each) => isWhole(name, each))) {
        for (const wrong of [0.5, 1e300, Number.NaN, Number.NEGATIVE_INFINITY]) {
          const attempt = () => run(name, { ...placed(call), [argument]: wrong });
          expect(attempt, `${argument} ${wrong}`).toThrow(refusal(name, argument));
        }
      }
      for (const { name: operand } of checked) {
        expect(() => run(name, { ...placed(call), [operand]: BYTES + 4 })).toThrow(refusal(name, operand));
      }
      expect(Buffer.compare(memory, before)).toBe(0);
    });

    it('refuses a flag that is neither true nor false', () => {
      for (const flag of Object.keys(call.values).filter((each) => FLAG.test(each))) {
        for (const wrong of [2, -1]) {
          expect(() => run(name, { ...placed(call), [flag]: wrong }), flag).toThrow(refusal(name, flag));
        }
      }
    });

    it('leaves every empty size to the caller, and has written nothing then', () => {
      fill();
      const before = memory.slice();
      for (const argument of Object.keys(call.values).filter((each) => EMPTY.test(each))) {
        // The sequences in memory are not fewer than those that are computed.
        const also = argument === 'all' ? { batch: 0 } : {};
        expect(run(name, { ...placed(call), ...also, [argument]: 0 }), argument).toBe(false);
      }
      expect(Buffer.compare(memory, before)).toBe(0);
    });

    it('refuses every size that would lead outside, and has written nothing then', () => {
      fill();
      const before = memory.slice();
      for (const [argument, value] of Object.entries(call.values)) {
        if (!isSize(name, argument)) continue;
        for (const wrong of [2 ** 31 - 1, 2 ** 31, 2 ** 53, -1, value + 0.5, Number.NaN]) {
          const attempt = () => run(name, { ...placed(call), [argument]: wrong });
          expect(attempt, `${argument} ${wrong}`).toThrow(expect.objectContaining({ code: 'BAD_ARGUMENT' }));
        }
      }
      expect(Buffer.compare(memory, before)).toBe(0);
    });

    it('works without what may be left out', () => {
      for (const operand of call.optional ?? []) {
        fill();
        expect(run(name, { ...placed(call), [operand]: 0 })).toBe(true);
      }
    });

    it('writes to its operands alone', () => {
      const args = placed(call);
      fill();
      const before = memory.slice();
      expect(run(name, args)).toBe(true);
      expect(Buffer.compare(memory, before)).not.toBe(0);
      for (const { name: operand, floats } of call.operands) {
        const at = args[operand]!;
        memory.set(before.subarray(at, at + floats * 4), at);
      }
      expect(Buffer.compare(memory, before)).toBe(0);
    });

    it('gives the same numbers wherever its operands lie', () => {
      const bits = (shift: number): number[] => {
        const args = placed(call);
        const moved = { ...args };
        fill();
        for (const { name: operand, floats } of call.operands) {
          moved[operand] = args[operand]! + shift;
          const numbers = Float32Array.from({ length: floats }, (_, i) => ((i * 31) % 67) / 67 + 0.2);
          memory.set(new Uint8Array(numbers.buffer), moved[operand]);
        }
        expect(run(name, moved)).toBe(true);
        return call.operands.flatMap(({ name: operand, floats }) => [
          ...new Int32Array(memory.slice(moved[operand]!, moved[operand]! + floats * 4).buffer),
        ]);
      };
      // A vector is 16 floats at most.
      expect(bits(4)).toEqual(bits(0));
      expect(bits(44)).toEqual(bits(0));
    });
  });
});

function isWhole(name: string, argument: string): boolean {
  return !FRACTION.test(argument) && !(name === 'unary' && /^[ab]$/.test(argument));
}

/** Numbers that lead nowhere, and steps along an axis of one, may be anything. So may the steps of a padded image. */
function isSize(name: string, argument: string): boolean {
  if (/^depthwise(Input|Filter|$)/.test(name) && /^(stride|dilation)/.test(argument)) return false;
  return !FREE.test(argument);
}

if (!kernels) console.log('the arguments of native kernels are not tested: there is no binary here');
