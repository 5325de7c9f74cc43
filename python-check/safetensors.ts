// Files in the safetensors format, good and bad, for Python to read; with --read, what a file of Python's holds.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DTYPES, type Dtype } from '../packages/safetensors/src/dtypes.js';
import {
  encodeSafetensors,
  parseSafetensors,
  type SafetensorsContent,
} from '../packages/safetensors/src/index.js';
import { openSafetensors, writeSafetensors } from '../packages/safetensors/src/node.js';
import { DUPLICATES, MALFORMED } from '../packages/safetensors/test/raw-file.js';

const MUTATIONS = 4000;
const NAMES = ['weights', '', 'a/b.c', '__proto__', 'ünï \u{1f600} "quoted" \\ \u0001\u007f\u2028', '\ue000'];

if (process.argv[2] === '--read') {
  const file = await openSafetensors(process.argv[3]!);
  const { metadata } = file;
  const tensors = await file.readAll();
  const again = Buffer.from(encodeSafetensors(tensors, { metadata })).toString('hex');
  console.log(JSON.stringify({ ...described({ metadata, tensors }), again }));
  await file.close();
} else {
  await write();
}

async function write(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-safetensors-'));
  // The judge removes it, unless there is nothing to judge.
  process.on('exit', (code) => code !== 0 && rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'ours.safetensors');
  const tensors = new Map(
    [...everyDtype(), ...oddities()].map(([name, dtype, shape], index) => [
      name,
      { dtype, shape, data: noise(byteLength(dtype, shape), index) },
    ]),
  );
  const metadata = { [NAMES[4]!]: NAMES[4]! };
  await writeSafetensors(path, tensors, { metadata });
  const seed = encodeSafetensors(
    { a: { shape: [2, 2], data: new Float32Array(4) }, b: { shape: [0], data: new Int8Array(0) } },
    { metadata: { k: 'v' } },
  );
  const mutated = Array.from({ length: MUTATIONS }, (_, index) => judged(mutate(seed, index)));
  const malformed = Object.entries(MALFORMED).map(([what, [file, code]]) => ({
    what,
    code,
    ...judged(file),
  }));
  const duplicates = Object.entries(DUPLICATES).map(([what, file]) => ({ what, ...judged(file) }));
  const reader = [process.execPath, ...process.execArgv, process.argv[1]!, '--read'];
  const ours = described({ metadata: new Map(Object.entries(metadata)), tensors });
  console.log(JSON.stringify({ folder, path, reader, ...ours, malformed, duplicates, mutated }));
}

function everyDtype(): [string, Dtype, number[]][] {
  return DTYPES.map((dtype) => [`dtypes/${dtype}`, dtype, shapeOf(dtype)]);
}

/** A tensor without dimensions, empty ones, and names that are hard to write down. */
function oddities(): [string, Dtype, number[]][] {
  return [
    ['rank-0', 'I64', []],
    ['empty', 'F32', [0]],
    ['empty/inside', 'BOOL', [3, 0, 2]],
    ...NAMES.map((name): [string, Dtype, number[]] => [name, 'F32', [3]]),
  ];
}

function described({ metadata, tensors }: SafetensorsContent): object {
  return {
    metadata: Object.fromEntries(metadata),
    tensors: [...tensors].map(([name, { dtype, shape, data }]) => {
      const hex = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('hex');
      return { name, dtype, shape, hex };
    }),
  };
}

/** The file, and what we say about it. */
function judged(file: Uint8Array): object {
  const base64 = Buffer.from(file).toString('base64');
  try {
    return { base64, content: described(parseSafetensors(file)) };
  } catch (error) {
    return { base64, error: (error as { code: string }).code };
  }
}

/** One to three bytes changed, put in or taken out, mostly to what means something in JSON. */
function mutate(file: Uint8Array, seed: number): Uint8Array {
  const random = noise(24, seed);
  const meaningful = '{}[]",:0123456789-.eE \\unFIUBasdthpe_';
  const bytes = [...file];
  for (let change = 0; change <= seed % 3; change++) {
    const [kind, high, low, which] = random.subarray(change * 4, change * 4 + 4) as unknown as number[];
    const at = (high! * 256 + low!) % bytes.length;
    const byte = which! < 40 ? which! * 6 : meaningful.charCodeAt(which! % meaningful.length);
    if (kind! % 3 === 0) bytes[at] = byte;
    else if (kind! % 3 === 1) bytes.splice(at, 1);
    else bytes.splice(at, 0, byte);
  }
  return Uint8Array.from(bytes);
}

/** The same bytes for the same seed, always. */
function noise(length: number, seed: number): Uint8Array {
  let state = (seed + 1) * 0x9e3779b1;
  return Uint8Array.from({ length }, () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5;
    return (state >>> 24) & 0xff;
  });
}

function shapeOf(dtype: string): number[] {
  if (dtype === 'F4') return [2, 6];
  return dtype.startsWith('F6_') ? [4, 2] : [2, 3];
}

function byteLength(dtype: string, shape: readonly number[]): number {
  const bits = dtype === 'BOOL' ? 8 : dtype === 'F4' ? 4 : Number(/\d+/.exec(dtype)![0]);
  return (shape.reduce((product, size) => product * size, 1) * bits) / 8;
}
