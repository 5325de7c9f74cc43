import { mkdtempSync, rmSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commitFolder, openFolder, openSafetensors } from '@hookline/safetensors/node';
import type { Benchmark, Row } from './benchmark.js';
import { race, ratioOf } from './paired.js';

const LAYERS = 20;
const MEGABYTE = 1e6;

/** 60 % of the speed of plain input and output. */
const BUDGET = 1.67;

/** Saving and loading a state against writing, flushing and reading the same bytes with nothing around them. */
export const safetensorsSave: Benchmark = async (settings) => {
  const megabytes = settings.quick ? 40 : 400;
  const root = mkdtempSync(join(tmpdir(), 'hookline-bench-'));
  try {
    const before = process.memoryUsage.rss();
    const { bytes, tensors } = createState((megabytes * MEGABYTE) / LAYERS);
    const [plain, folder] = [join(root, 'plain'), join(root, 'checkpoint')];
    const file = join(folder, 'model.safetensors');
    const commit = async () => {
      rmSync(folder, { recursive: true, force: true });
      await commitFolder(folder, (writer) => writer.writeSafetensors('model.safetensors', tensors));
    };
    const writePlainly = () => {
      rmSync(plain, { force: true });
      return write(plain, bytes);
    };
    // Each side needs the whole machine, and the fastest of several runs is the one that had most of it.
    const pace = { rounds: settings.quick ? 3 : 11, warmUp: 1, repeats: 2 };
    const saving = await race({ commit, plain: writePlainly }, pace);
    const savingPeak = await peakDuring(commit);
    const loading = await race(
      {
        verified: async () => (await openFolder(folder)).readSafetensors('model.safetensors'),
        unverified: async () => {
          const opened = await openSafetensors(file);
          await opened.readAll();
          await opened.close();
        },
        plain: () => readFile(file),
      },
      pace,
    );
    const speeds = (times: Record<string, number[]>) =>
      Object.entries(times)
        .map(([name, all]) => `${name} ${(megabytes / median(all)).toFixed(2)}`)
        .join(', ');
    const rows: Row[] = [
      {
        what: `saving ${megabytes} MB: commitFolder with sha256 / write and fsync`,
        ratio: ratioOf(saving, 'commit', 'plain'),
        budget: BUDGET,
        note: `GB/s: ${speeds(saving)}`,
      },
      {
        what: `loading ${megabytes} MB: openSafetensors, readAll / readFile`,
        ratio: ratioOf(loading, 'unverified', 'plain'),
        budget: BUDGET,
        note: `GB/s: ${speeds(loading)}`,
      },
      {
        what: `loading ${megabytes} MB, sha256 verified: openFolder, readSafetensors / readFile`,
        ratio: ratioOf(loading, 'verified', 'plain'),
        note: 'a file that the system holds in memory is read faster than sha256 can be computed',
      },
      {
        what: 'peak memory while saving, in sizes of the state',
        count: (savingPeak - before) / bytes.byteLength,
        budget: 2,
        note: `${(savingPeak / MEGABYTE).toFixed(0)} MB with everything`,
      },
    ];
    return rows;
  } finally {
    rmSync(root, { recursive: true });
  }
};

/** Weights that look into one piece of memory, so that the plain side writes the very same bytes. */
function createState(layerBytes: number) {
  const bytes = new Uint8Array(layerBytes * LAYERS);
  const values = new Float32Array(bytes.buffer);
  for (let index = 0; index < values.length; index++) values[index] = Math.sin(index);
  const size = layerBytes / 4;
  const tensors = Object.fromEntries(
    Array.from({ length: LAYERS }, (_, layer) => [
      `layer_${layer}/kernel`,
      { shape: [size], data: values.subarray(layer * size, (layer + 1) * size) },
    ]),
  );
  return { bytes, tensors };
}

async function write(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, 'wx');
  for (let at = 0; at < bytes.byteLength; ) at += (await handle.write(bytes, at)).bytesWritten;
  await handle.sync();
  await handle.close();
}

async function peakDuring(run: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
  let peak = 0;
  const look = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const timer = setInterval(look, 5);
  await run();
  look();
  clearInterval(timer);
  return peak;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
