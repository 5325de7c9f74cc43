import { mkdtempSync, rmSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commitFolder, openFolder, openSafetensors } from '@hookline/safetensors/node';
import type { Benchmark, Row } from './benchmark.js';
import { type Pace, race, ratioOf, type Times } from './paired.js';
import { processorTime } from './processor-time.js';
import { watchMemory } from './resident-peak.js';

const LAYERS = 20;
const MEGABYTE = 1e6;

/** 60 % of the speed of plain input and output. */
const BUDGET = 1.67;

/** Saving and loading a state against writing, flushing and reading the same bytes with nothing around them. */
export const safetensorsSave: Benchmark = async (settings) => {
  const megabytes = settings.quick ? 40 : 400;
  const root = mkdtempSync(join(tmpdir(), 'hookline-bench-'));
  try {
    const savingPeak = await watchMemory();
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
    const load = async () => (await openFolder(folder)).readSafetensors('model.safetensors');
    const sizes = (peak: () => number) => Number((peak() / bytes.byteLength).toFixed(2));
    await commit();
    const saved = sizes(savingPeak);
    const loadingPeak = await watchMemory();
    await load();
    const loaded = sizes(loadingPeak);

    // Each side needs the whole machine, and the fastest of several runs is the one that had most of it.
    const pace = { rounds: settings.quick ? 3 : 11, warmUp: 1, repeats: settings.quick ? 2 : 4 };
    const saving = await measure(megabytes, { commit, plain: writePlainly }, pace);
    const loading = await measure(
      megabytes,
      {
        verified: load,
        unverified: async () => {
          const opened = await openSafetensors(file);
          await opened.readAll();
          await opened.close();
        },
        plain: () => readFile(file),
      },
      pace,
    );
    const rows: Row[] = [
      {
        what: `saving ${megabytes} MB: commitFolder with sha256 / write and fsync`,
        ratio: ratioOf(saving.times, 'commit', 'plain'),
        budget: BUDGET,
        note: saving.note,
      },
      {
        what: `loading ${megabytes} MB: openSafetensors, readAll / readFile`,
        ratio: ratioOf(loading.times, 'unverified', 'plain'),
        budget: BUDGET,
        note: loading.note,
      },
      {
        what: `loading ${megabytes} MB, sha256 verified: openFolder, readSafetensors / readFile`,
        ratio: ratioOf(loading.times, 'verified', 'plain'),
        budget: BUDGET,
        note: 'needs a second processor to hash on while the first one reads',
      },
      { what: 'peak memory while saving, in sizes of the state', count: saved, budget: 2, note: WITH_STATE },
      {
        what: 'peak memory while loading, in sizes of the state',
        count: loaded,
        budget: 2,
        note: WITH_STATE,
      },
    ];
    return rows;
  } finally {
    rmSync(root, { recursive: true });
  }
};

const WITH_STATE = 'the state itself is one of them';

/** Times, and in words how fast each side was and how many processors it got: on a busy machine that is the limit. */
async function measure<Name extends string>(
  megabytes: number,
  sides: Record<Name, () => Promise<unknown>>,
  pace: Pace,
): Promise<{ times: Times<Name>; note: string }> {
  const names = Object.keys(sides) as Name[];
  const busy = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  const watched = (name: Name) => async () => {
    const [wall, processor] = [performance.now(), processorTime()];
    await sides[name]();
    busy[name].push((processorTime() - processor) / (performance.now() - wall));
  };
  const watching = Object.fromEntries(names.map((name) => [name, watched(name)])) as typeof sides;
  const times = await race(watching, pace);
  const speeds = names.map((name) => `${name} ${(megabytes / median(times[name])).toFixed(2)}`);
  const processors = names.map((name) => `${name} ${median(busy[name]).toFixed(1)}`);
  return { times, note: `GB/s: ${speeds.join(', ')}; processors at work: ${processors.join(', ')}` };
}

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

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
