import type { LoadedBatch } from '@hookline/data';
import type { Batch, BatchEvent, Hook } from '@hookline/hook-api';
import { isTensor, leaves, mapTree } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { kindOf, trainerError } from '../errors.js';
import { frozen, frozenBatch } from '../run/read-only.js';
import type { Run } from '../run/run.js';
import { eventOf } from './forward-backward.js';

/**
 * Lets the hooks replace the batch. What a hook returns is ours; tensors of a replaced batch that live on in its
 * replacement stay, the others go at once.
 */
export async function transformBatch(run: Run, item: LoadedBatch): Promise<LoadedBatch> {
  const { hooks } = run.parts;
  if (!hooks.due('transformBatch')) return item;
  let { batch, owned } = item;
  const users = owned ? [] : tensorsOf(batch);
  const accept = (event: BatchEvent, replacement: Batch, { name }: Hook): BatchEvent => {
    if (replacement === event.batch) return event;
    checkReplacement(replacement, name);
    const staying = new Set([...tensorsOf(replacement), ...users]);
    tf.dispose(tensorsOf(batch).filter((tensor) => !staying.has(tensor)));
    batch = frozenBatch(replacement);
    return frozen({ ...event, batch });
  };
  try {
    await run.tensors.transform('transformBatch', frozen(eventOf(item)), accept);
  } catch (error) {
    tf.dispose(tensorsOf(batch).filter((tensor) => !users.includes(tensor)));
    throw error;
  }
  // Tensors of the user's that are still in use are cloned, so that the whole batch is ours.
  if (!owned && batch !== item.batch) {
    batch = cloneShared(batch, new Set(users));
    owned = true;
  }
  return { ...item, batch, owned };
}

function checkReplacement(batch: unknown, hook: string): void {
  const { xs, ys, weights } = Object(batch) as Partial<Batch>;
  const wrong = [...partsOf(xs), ...partsOf(ys), ...partsOf(weights)].find((part) => !isTensor(part));
  if (xs !== undefined && wrong === undefined) return;
  const given = xs === undefined ? `${kindOf(batch)} without xs` : `a batch with ${kindOf(wrong)} in it`;
  throw trainerError(
    'BAD_TRANSFORM',
    `transformBatch of hook "${hook}" returned ${given}, expected { xs, ys, weights } with tensors, or undefined to keep the batch.`,
  );
}

/** Of what should be a tree of tensors. */
function partsOf(tree: unknown): unknown[] {
  if (tree === undefined || isTensor(tree)) return [];
  return typeof tree === 'object' && tree !== null ? Object.values(tree) : [tree];
}

/** After use: the tensors of a batch that are ours. */
export function disposeBatch({ batch, owned }: LoadedBatch): void {
  if (owned) tf.dispose(tensorsOf(batch));
}

function tensorsOf({ xs, ys, weights }: Batch): tf.Tensor[] {
  return [...leaves(xs), ...leaves(ys), ...leaves(weights)];
}

function cloneShared(batch: Batch, users: ReadonlySet<tf.Tensor>): Batch {
  const own = (tensor: tf.Tensor) => (users.has(tensor) ? tf.clone(tensor) : tensor);
  return {
    xs: mapTree(batch.xs, own),
    ...(batch.ys && { ys: mapTree(batch.ys, own) }),
    ...(batch.weights && { weights: mapTree(batch.weights, own) }),
  };
}
