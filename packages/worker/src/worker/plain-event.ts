import type { HookContext, OptimizerView } from '@hookline/hook-api';
import { copyToHost, isTensor } from '@hookline/numerics';
import type { Tensor } from '@tensorflow/tfjs-core';
import type { EventMessage, StartMessage, StateMessage, TensorCopies, TensorField } from '../messages.js';
import { toPlain } from '../plain-error.js';

/** What of an event can be sent as it is, and what stays: tensors and snapshots. */
export function plainEvent(event: object): Pick<EventMessage, 'payload' | 'withheld'> {
  const payload: Record<string, unknown> = {};
  const withheld: string[] = [];
  for (const [name, value] of Object.entries(event)) {
    if (name === 'snapshot' || holdsTensors(value)) withheld.push(name);
    else if (name === 'error') payload.error = toPlain(value);
    else if (name === 'optimizer') payload.optimizer = value && optimizerOf(value as OptimizerView);
    else payload[name] = value;
  }
  return { payload, withheld };
}

/** Copies of the tensors in the fields that somebody asked for; undefined when the event has none of them. */
export function tensorCopies(
  event: object,
  wanted: readonly TensorField[],
): Promise<Record<string, TensorCopies>> | undefined {
  const fields = Object.entries(event).filter(
    ([name, value]) => wanted.includes(name as TensorField) && holdsTensors(value),
  );
  if (fields.length === 0) return undefined;
  const copies = fields.map(async ([name, value]) => [name, await copiesOf(value)] as const);
  return Promise.all(copies).then((entries) => Object.fromEntries(entries));
}

export function stateOf({ state, metrics }: HookContext): StateMessage {
  const { status, epoch, completedEpochs, step, batchIndex, latestLoss, avgLoss, elapsedSeconds } = state;
  return {
    ...{ status, epoch, completedEpochs, step, batchIndex, latestLoss, avgLoss, elapsedSeconds },
    metrics: { ...metrics },
    optimizers: state.optimizers.map(optimizerOf),
  };
}

export function startOf({ state, run }: HookContext): StartMessage {
  const { stage, backend, device, modelParams } = state;
  return { stage, backend, device, modelParams, run: { ...run } };
}

function optimizerOf({ name, groups }: OptimizerView): StateMessage['optimizers'][number] {
  return {
    name,
    groups: groups.map(({ name, lr, lrScale, momentum, weightDecay }) => ({
      ...{ name, lr, lrScale },
      ...(momentum !== undefined && { momentum }),
      ...(weightDecay !== undefined && { weightDecay }),
    })),
  };
}

function holdsTensors(value: unknown): boolean {
  return placesOf(value).length > 0;
}

async function copiesOf(value: unknown): Promise<TensorCopies> {
  const places = placesOf(value);
  const copies = await copyToHost(Object.fromEntries(places.map(({ tensor }, index) => [index, tensor])));
  return places.map(({ place }, index) => ({ place, copy: copies[index]! }));
}

/** Every tensor in lists and records. A field that is a tensor itself has an empty place. */
function placesOf(value: unknown, place: string[] = []): { place: string[]; tensor: Tensor }[] {
  if (isTensor(value)) return [{ place, tensor: value }];
  if (typeof value !== 'object' || value === null) return [];
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? Object.entries(value).flatMap(([key, part]) => placesOf(part, [...place, key])) : [];
}
