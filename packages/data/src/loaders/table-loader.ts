import type { Batch } from '@hookline/hook-api';
import { deriveSeed } from '@hookline/numerics';
import { checkValues } from '../batch/check-values.js';
import { dataError } from '../errors.js';
import { fingerprintOf } from '../table/fingerprint.js';
import { partOfRows, type Rows, rowsOf, type Table } from '../table/table.js';
import type { Loader } from './loader.js';
import type { LoaderSettings } from './loader-options.js';
import { permutation } from './permutation.js';
import { type Share, shareOfRows } from './share.js';

/** Batches cut from a table. With `shuffle`, each epoch has a new order, which follows from seed and epoch. */
export function tableLoader(table: Table, settings: LoaderSettings): Loader {
  const { name, batchSize, shuffle, seed, dropLast, checkData, share } = settings;
  const whole = rowsOf(table, name, settings.shapes);
  const { part } = settings;
  const rows = part ? partOfRows(whole, part.rows(whole.count, name)) : whole;
  const batches = batchesIn(rows.count, settings);
  let unchecked = checkData !== false;
  const epochOf = (epoch: number, start = 0): Iterable<Batch> =>
    cut(rows, { batchSize, start, batches, share, seed: shuffle ? deriveSeed(seed, epoch) : undefined });
  return {
    name,
    batches,
    owned: true,
    seek: 'jump',
    prefetch: settings.prefetch ?? 0,
    order: {
      ...{ samples: rows.count, batchSize, dropLast, data: fingerprintOf(rows) },
      ...(shuffle && { seed }),
      ...(part && { part: part.id }),
    },
    epoch: (epoch, start) => {
      if (!unchecked) return epochOf(epoch, start);
      unchecked = false;
      const checked = checkRows(rows, settings);
      return checked ? afterwards(checked, () => epochOf(epoch, start)) : epochOf(epoch, start);
    },
  };
}

function checkRows(rows: Rows, { name, checkData, shapes }: LoaderSettings): void | Promise<void> {
  const columns = rows.columns.map(([path, samples]) => ({
    path,
    samples: samples.count,
    hostValues: () => samples.hostValues(),
    values: () => samples.values(),
  }));
  const options = { read: checkData === true, outputs: shapes.model?.outputs };
  return checkValues(columns, `The data of loader "${name}"`, options);
}

async function* afterwards(
  checked: Promise<void>,
  batches: () => Iterable<Batch>,
): AsyncGenerator<Batch, void> {
  await checked;
  yield* batches();
}

/** How many batches the samples make. */
export function batchesIn(
  samples: number,
  { name, batchSize, dropLast }: Pick<LoaderSettings, 'name' | 'batchSize' | 'dropLast'>,
): number {
  if (!dropLast) return Math.ceil(samples / batchSize);
  if (samples >= batchSize) return Math.floor(samples / batchSize);
  throw dataError(
    'BAD_DATA',
    `Loader "${name}" has ${samples} samples, fewer than one batch of ${batchSize}. With dropLast incomplete batches are left out, so nothing remains. Use a smaller batchSize, or remove dropLast.`,
  );
}

interface Cut {
  batchSize: number;
  /** The first batch. */
  start: number;
  batches: number;
  /** Undefined: in order. */
  seed: number | undefined;
  /** Undefined: all of each batch. */
  share: Share | undefined;
}

function* cut(rows: Rows, { batchSize, start, batches, seed, share }: Cut): Generator<Batch, void> {
  const order = seed === undefined ? undefined : permutation(rows.count, seed);
  const take = (first: number, size: number): Batch => {
    if (!order) return rows.slice(first, size);
    const picked = new Int32Array(size);
    for (let index = 0; index < size; index++) picked[index] = order(first + index);
    return rows.gather(picked);
  };
  for (let batch = start; batch < batches; batch++) {
    const first = batch * batchSize;
    const size = Math.min(batchSize, rows.count - first);
    yield share ? shareOfRows(size, share, (from, own) => take(first + from, own)) : take(first, size);
  }
}
