import type { HostTensor } from '@hookline/hook-api';
import type { TapEvent } from '@hookline/layer-taps';
import type { Tensor } from '@tensorflow/tfjs-core';
import { bytesOf } from '../bytes.js';
import { activationsError } from '../errors.js';
import type { Meter } from '../measure/meter.js';
import { normOf, type Statistics, stdOf } from '../measure/statistics.js';
import type { CaptureStore, Stored } from './capture-store.js';
import type { CapturedState, CapturedTensors, Sighting, TensorSummary } from './captured-state.js';
import { HeldTensor } from './held-tensor.js';

export interface CaptureRules {
  readonly id: string;
  readonly layerIndex: number | undefined;
  readonly captureInput: boolean;
  readonly captureOutput: boolean;
  readonly store: 'host' | 'device' | 'statistics';
}

/** One captured state, as the store holds it. */
export interface CaptureEntry extends Stored {
  readonly rules: CaptureRules;
  readonly sighting: Sighting;
  readonly inputs: readonly HeldTensor[];
  readonly outputs: readonly HeldTensor[];
  readonly summaries: { inputs: TensorSummary[]; outputs: TensorSummary[] };
}

export function capture(
  rules: CaptureRules,
  { inputs, outputs }: Pick<TapEvent, 'inputs' | 'outputs'>,
  sighting: Sighting,
  store: CaptureStore<CaptureEntry>,
  meter: Meter,
  storedAt: number,
): void {
  const chosen = {
    inputs: rules.captureInput ? inputs : [],
    outputs: rules.captureOutput ? outputs : [],
  };
  const all = [...chosen.inputs, ...chosen.outputs];
  const place = rules.store;
  const bytes = all.reduce(
    (sum, tensor) => sum + (place === 'statistics' ? SUMMARY_BYTES : bytesOf(tensor)),
    0,
  );
  const { path } = sighting;
  for (const tensor of all) assertCapturable(path, tensor);
  store.add(rules.id, path, bytes, () => {
    const summaries: CaptureEntry['summaries'] = { inputs: [], outputs: [] };
    if (place === 'statistics') {
      for (const side of ['inputs', 'outputs'] as const) summarize(meter, chosen[side], summaries[side]);
    }
    const hold = (tensors: readonly Tensor[]): HeldTensor[] =>
      place === 'statistics' ? [] : tensors.map((tensor) => new HeldTensor(tensor, place));
    const held = { inputs: hold(chosen.inputs), outputs: hold(chosen.outputs) };
    const dispose = (): void => {
      for (const each of [...held.inputs, ...held.outputs]) each.dispose();
    };
    return { path, bytes, storedAt, rules, sighting, summaries, ...held, dispose };
  });
}

/** Waits for the device where it must; the meter has been read. */
export function stateOf(entry: CaptureEntry): CapturedState {
  const now = (held: readonly HeldTensor[]) => held.map((each) => each.toHostNow());
  return stateWith(entry, now(entry.inputs), now(entry.outputs));
}

/** The same, asynchronously. */
export async function readState(entry: CaptureEntry): Promise<CapturedState> {
  const read = (held: readonly HeldTensor[]) => Promise.all(held.map((each) => each.toHost()));
  return stateWith(entry, ...(await Promise.all([read(entry.inputs), read(entry.outputs)])));
}

function stateWith(
  { rules, sighting, summaries, bytes }: CaptureEntry,
  inputs: HostTensor[],
  outputs: HostTensor[],
): CapturedState {
  return {
    id: rules.id,
    layerIndex: rules.layerIndex,
    ...sighting,
    inputs,
    outputs,
    ...(rules.store === 'statistics' && { statistics: summaries }),
    bytes,
  };
}

/** Undefined for states that are not on the device. */
export function tensorsOf({ rules, sighting, inputs, outputs }: CaptureEntry): CapturedTensors | undefined {
  if (rules.store !== 'device') return undefined;
  const tensors = (held: readonly HeldTensor[]) => held.map(({ tensor }) => tensor!);
  return {
    id: rules.id,
    layerIndex: rules.layerIndex,
    ...sighting,
    inputs: tensors(inputs),
    outputs: tensors(outputs),
  };
}

function assertCapturable(path: string, { dtype }: Tensor): void {
  if (dtype === 'float32' || dtype === 'int32' || dtype === 'bool') return;
  throw activationsError(
    'CANNOT_CAPTURE',
    `"${path}" has a tensor of type ${dtype}, which cannot be captured: only numbers and booleans can. Capture a different layer.`,
  );
}

/** Eight numbers. */
const SUMMARY_BYTES = 64;

function summarize(meter: Meter, tensors: readonly Tensor[], summaries: TensorSummary[]): void {
  tensors.forEach((tensor, index) => {
    const { shape } = tensor;
    meter.measure(tensor, { range: true, alive: false, sample: false }, (statistics) => {
      summaries[index] = summaryOf(shape, statistics);
    });
  });
}

function summaryOf(shape: readonly number[], statistics: Statistics): TensorSummary {
  const { mean, min, max, zeros, count, nonFinite } = statistics;
  return {
    shape: [...shape],
    mean,
    std: stdOf(statistics),
    norm: normOf(statistics),
    min,
    max,
    sparsity: zeros / count,
    nonFinite,
  };
}
