import type { LoadedBatch } from '@hookline/data';
import { readNumbers } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { type Count, countTensors, samplesIn } from '../objective/count.js';
import { type BatchSums, disposeSums } from '../objective/metrics/batch-sums.js';
import type { Run } from '../run/run.js';
import { ranksDiffer, type World } from '../strategies/world.js';
import type { BatchResult } from './forward-backward.js';
import { joinGradients } from './join-gradients.js';

/** A mean of a rank's samples, and what it is the mean of. */
type Mean = [mean: number, count: number];

/** What a rank tells the others about its share of a batch. */
interface Share {
  /** A hook of this rank leaves the batch out. */
  skips: boolean;
  /** Why this rank wants the run to stop. */
  stop: string | null;
  samples: number;
  loss: Mean;
  outputLosses: Record<string, Mean>;
  metrics: [sums: number[], count: number][];
  logged: Record<string, number>;
  gradients: number;
}

type Gradients = Record<string, tf.Tensor>;

/**
 * The result of the whole batch, of which each rank has computed its share: the mean over the samples of all ranks, with
 * the same bits on all of them. So from here on all ranks see and do the same. Takes `own` over. Undefined when a hook
 * of any rank has left the batch out; `own` is undefined when it was one of this rank.
 */
export async function joinRanks(
  run: Run,
  world: World,
  item: LoadedBatch,
  own: BatchResult | undefined,
): Promise<BatchResult | undefined> {
  let joined: Awaited<ReturnType<typeof joinSums>>;
  try {
    joined = await joinSums(run, world, item, own?.sums, own && Object.keys(own.gradients).length);
    if (!joined || !own) return undefined;
    const { sums, weight } = joined;
    return {
      sums,
      gradients: await joinGradients(world, own.gradients, buffersOf(run), weight),
      outputs: own.outputs,
    };
  } catch (error) {
    if (joined) disposeSums(joined.sums);
    joined = undefined;
    throw error;
  } finally {
    if (!joined && own) tf.dispose([own.gradients, own.outputs] as tf.TensorContainer);
  }
}

/** Whether a hook leaves the batch out. The others learn of it with the result of the batch, which costs nothing more. */
export async function isLeftOut(run: Run, world: World, item: LoadedBatch): Promise<boolean> {
  const wished = run.wishes.take('skipBatch');
  if (run.parts.trainable.trainingStep) {
    // The ranks talk while such a module works, so that it must not begin on some of them only.
    const said = await world.exchange(`the start of batch ${item.batchIndex + 1}`, wished);
    return said.some((skips) => skips);
  }
  if (wished) await joinRanks(run, world, item, undefined);
  return wished;
}

/** One update of a module that makes its own: its loss and gradients over the samples of all ranks. Takes both over. */
export async function joinUpdate(
  run: Run,
  world: World,
  item: LoadedBatch,
  own: { value: tf.Scalar; gradients: Gradients },
): Promise<{ value: tf.Scalar; gradients: Gradients }> {
  const samples = item.padding ? 0 : samplesIn(item.batch);
  try {
    const [[value]] = (await readNumbers([own.value])) as [[number]];
    const said = await world.exchange<Mean>(`an update of step ${run.state.step + 1}`, [value, samples]);
    const [mean, count] = meanOf(said);
    const weight = count === 0 ? 0 : samples / count;
    return {
      gradients: await joinGradients(world, own.gradients, buffersOf(run), weight),
      value: tf.scalar(mean),
    };
  } finally {
    tf.dispose([own.value, own.gradients]);
  }
}

/** The sums of the whole batch, and the weight of this rank's share in a mean. Takes `own` over. */
export async function joinSums(
  run: Run,
  world: World,
  item: LoadedBatch,
  own: BatchSums | undefined,
  gradients = 0,
): Promise<{ sums: BatchSums; weight: number } | undefined> {
  const { status, epoch, step } = run.state;
  const place = `batch ${item.batchIndex + 1} of epoch ${epoch + 1}, ${status}, after step ${step}`;
  const mine = await shareOf(run, own, item.padding ?? false, gradients);
  let shares: Share[];
  try {
    shares = await world.exchange(place, mine);
  } finally {
    if (own) disposeSums(own);
  }
  const stop = shares.find((share) => share.stop !== null);
  if (stop) run.ending.stopNow(stop.stop!);
  if (!own || shares.some(({ skips }) => skips)) return undefined;
  const other = shares.findIndex((share) => share.gradients !== mine.gradients);
  if (other >= 0) {
    throw ranksDiffer(
      `rank ${world.rank} has gradients of ${mine.gradients} parameters, rank ${other} of ${shares[other]!.gradients}. A forward pass that uses other layers for other samples cannot be shared.`,
    );
  }
  const [, count] = meanOf(shares.map(({ loss }) => loss));
  return { sums: wholeSums(shares, own), weight: count === 0 ? 0 : mine.loss[1] / count };
}

/** What a forward pass changes beside the outputs. */
function buffersOf({ parts }: Run): tf.Variable[] {
  return parts.trainable.buffers.map(({ variable }) => variable);
}

/** One transfer from the device. */
async function shareOf(
  run: Run,
  sums: BatchSums | undefined,
  isPadding: boolean,
  gradients: number,
): Promise<Share> {
  const stop = run.ending.wish ?? null;
  const empty = { stop, samples: 0, loss: [0, 0], outputLosses: {}, metrics: [], logged: {} } as const;
  if (!sums) return { ...empty, loss: [0, 0], metrics: [], skips: true, gradients };
  const outputs = Object.entries(sums.outputLosses);
  const logged = Object.entries(sums.logged);
  const counts = [
    sums.count,
    ...[...outputs.map(([, mean]) => mean), ...sums.metrics].map((each) => each.count),
  ];
  const means = [sums.loss, ...outputs.map(([, { mean }]) => mean), ...logged.map(([, value]) => value)];
  const numbers = await readNumbers([
    ...means,
    ...sums.metrics.map((metric) => metric.sums),
    ...countTensors(counts),
  ]);
  const onDevice = numbers.slice(means.length + sums.metrics.length).values();
  const known = counts.map((count: Count) => {
    const read = typeof count === 'number' ? count : onDevice.next().value![0]!;
    return isPadding ? 0 : read;
  });
  const mean = (index: number) => (isPadding ? 0 : numbers[index]![0]!);
  return {
    ...{ skips: false, stop, gradients, samples: isPadding ? 0 : sums.samples },
    loss: [mean(0), known[0]!],
    outputLosses: Object.fromEntries(
      outputs.map(([name], index) => [name, [mean(index + 1), known[index + 1]!]]),
    ),
    metrics: sums.metrics.map((_, index) => {
      const read = numbers[means.length + index]!;
      return [isPadding ? read.map(() => 0) : [...read], known[1 + outputs.length + index]!];
    }),
    logged: isPadding
      ? {}
      : Object.fromEntries(logged.map(([name], index) => [name, mean(1 + outputs.length + index)])),
  };
}

/** The sums of all shares, in the order of ranks, so that they are the same to the bit everywhere. */
function wholeSums(shares: readonly Share[], own: BatchSums): BatchSums {
  const counted = (means: readonly Mean[]) => {
    const [mean, count] = meanOf(means);
    return { mean: tf.scalar(mean), count };
  };
  const { mean: loss, count } = counted(shares.map((share) => share.loss));
  const outputs = Object.keys(own.outputLosses);
  const names = new Set(shares.flatMap(({ logged }) => Object.keys(logged)));
  return {
    ...{ loss, count, series: own.series, outputs: own.outputs },
    samples: shares.reduce((sum, { samples }) => sum + samples, 0),
    outputLosses: Object.fromEntries(
      outputs.map((name) => [name, counted(shares.map(({ outputLosses }) => outputLosses[name] ?? [0, 0]))]),
    ),
    metrics: own.metrics.map(({ sums: { shape } }, index) => {
      const all = shares.map(({ metrics }) => metrics[index]!);
      const sums = all[0]![0].map((_, place) => all.reduce((sum, [each]) => sum + each[place]!, 0));
      return {
        sums: tf.tensor(sums, shape),
        count: all.reduce((sum, [, each]) => sum + each, 0),
      };
    }),
    logged: Object.fromEntries(
      [...names].map((name) => {
        const those = shares.filter(({ logged }) => name in logged);
        return [name, tf.scalar(meanOf(those.map(({ logged, samples }) => [logged[name]!, samples]))[0])];
      }),
    ),
  };
}

/** A share that counts nothing may hold anything, so it is left out. */
function meanOf(means: readonly Mean[]): Mean {
  let sum = 0;
  let counts = 0;
  for (const [mean, count] of means) {
    if (count === 0) continue;
    sum += mean * count;
    counts += count;
  }
  return [counts === 0 ? 0 : sum / counts, counts];
}
