import * as promises from 'node:fs/promises';
import { join } from 'node:path';
import {
  commitFolder,
  type FileSystem,
  type FileSystemOption,
  openFolder,
  readPointer,
  removeFolder,
  verifyFolder,
  writePointer,
} from '../src/node.js';

export interface Watcher {
  onCommitted?(step: number): Promise<void>;
  onPointed?(step: number): Promise<void>;
  /** Told before: what was announced may be gone, what was not must stay. */
  onRemoving?(step: number): Promise<void>;
}

interface SaveOptions extends Watcher, FileSystemOption {
  /** Numbers in the largest tensor. */
  size?: number;
}

const KEEP = 3;
const BEST_EVERY = 5;

/** What a training run does to a disk: commit, point, rotate. What is saved follows from the step. */
export async function save(
  parent: string,
  step: number,
  { fs = promises, size = defaultSize(step), onCommitted, onPointed, onRemoving }: SaveOptions = {},
): Promise<void> {
  await commitFolder(
    join(parent, nameOf(step)),
    async (folder) => {
      await folder.writeSafetensors('model.safetensors', {
        kernel: { shape: [size], data: kernelOf(step, size) },
        bias: { shape: [1], data: new Float32Array([step]) },
      });
      await folder.write('state.json', JSON.stringify({ step }));
    },
    { fs, info: { step, size } },
  );
  await onCommitted?.(step);
  const [last, best] = [join(parent, 'last.json'), join(parent, 'best.json')];
  await writePointer(last, nameOf(step), { fs });
  if (step % BEST_EVERY === 0) await writePointer(best, nameOf(step), { fs });
  await onPointed?.(step);
  const kept = [await readPointer(last, { fs }), await readPointer(best, { fs })];
  for (const old of (await stepsIn(parent, { fs })).slice(0, -KEEP)) {
    if (kept.includes(nameOf(old))) continue;
    await onRemoving?.(old);
    await removeFolder(join(parent, nameOf(old)), { fs });
  }
}

/** Everything that a reader relies on, at any moment. Gives the steps that are there. */
export async function check(parent: string, { fs = promises }: FileSystemOption = {}): Promise<number[]> {
  const steps = await stepsIn(parent, { fs });
  for (const step of steps) await checkContent(join(parent, nameOf(step)), step, fs);
  for (const pointer of ['last.json', 'best.json']) {
    const target = await readPointer(join(parent, pointer), { fs });
    if (target !== undefined && !steps.map(nameOf).includes(target as string)) {
      throw new Error(`${pointer} points to ${target}, which is not there`);
    }
  }
  return steps;
}

/** A folder with its name must verify, and hold what was saved. */
async function checkContent(path: string, step: number, fs: FileSystem): Promise<void> {
  const verdict = await verifyFolder(path, { fs });
  if (!verdict.ok) throw new Error(`a folder that has its name does not verify: ${verdict.reason}`);
  const folder = await openFolder(path, { fs });
  const info = folder.manifest.info as { step: number; size: number };
  const { tensors } = await folder.readSafetensors('model.safetensors');
  const kernel = tensors.get('kernel')!.data;
  const expected = kernelOf(step, info.size);
  const isRight =
    info.step === step &&
    JSON.parse(await folder.readText('state.json')).step === step &&
    tensors.get('bias')!.data[0] === step &&
    Buffer.from(kernel.buffer, kernel.byteOffset, kernel.byteLength).equals(Buffer.from(expected.buffer));
  if (!isRight) throw new Error(`${path} verifies, but holds something else`);
}

/** Steps whose folders have their name, in order. */
export async function stepsIn(parent: string, { fs = promises }: FileSystemOption = {}): Promise<number[]> {
  const names = await fs.readdir(parent);
  return names
    .filter((name) => name.startsWith('step-'))
    .map((name) => Number(name.slice('step-'.length)))
    .sort((a, b) => a - b);
}

export function nameOf(step: number): string {
  return `step-${step}`;
}

/** With the code of the system, where there is one. */
export function codeOfError(error: unknown): string {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return [code ?? String(error), cause?.code ?? []].flat().join(' ');
}

/** Up to a megabyte, and another at each step. */
function defaultSize(step: number): number {
  return 1000 + (step % 7) * 40_000;
}

function kernelOf(step: number, size: number): Float32Array {
  return new Float32Array(size).map((_, index) => step + index / 7);
}
