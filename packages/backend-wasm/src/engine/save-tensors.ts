import type * as tf from '@tensorflow/tfjs-core';
import { type EngineInternals, engineInternals, isObserved, override } from './engine-state.js';
import { runOne } from './operations.js';

export interface CheapSaves {
  /** Makes the saved tensors differentiable, because a gradient is about to be part of another one. */
  link(): void;
  /** Disposes of the tensors saved for the current tape: nobody will read them. */
  drop(): void;
  undo(): void;
}

/**
 * Engine.clone has one use: saving tensors for the backward pass. tfjs runs a kernel for each and records it, in case
 * somebody differentiates the backward pass too; that is half of a tape. Here a saved tensor is a second reference to
 * the same data, and is recorded only in that case.
 */
export function saveCheaply(): CheapSaves {
  const engine = engineInternals();
  const stock = engine.clone;
  let saves: { tape: unknown; pairs: { x: tf.Tensor; saved: tf.Tensor }[] } | undefined;
  const undo = override('clone', function (this: EngineInternals, x) {
    if (!canShare(this, x)) return stock.call(this, x);
    const saved = share(this, x);
    const tape = this.state.activeTape;
    if (saves?.tape !== tape) saves = { tape, pairs: [] };
    saves.pairs.push({ x, saved });
    return saved;
  });
  const current = () => (saves?.tape === engine.state.activeTape ? (saves?.pairs ?? []) : []);
  return {
    link: () => {
      for (const pair of current()) putOnTape(engine, pair);
      saves = undefined;
    },
    drop: () => {
      for (const { saved } of current()) saved.dispose();
      for (const { saved } of engine.state.activeTape ?? []) for (const tensor of saved) tensor.dispose();
      saves = undefined;
    },
    undo,
  };
}

function canShare(engine: EngineInternals, x: tf.Tensor): boolean {
  const { backendName, backendInstance, state } = engine;
  if (backendName !== 'wasm' || state.gradientDepth !== 1 || isObserved(engine)) return false;
  return (
    x.dtype !== 'string' &&
    x.dtype !== 'complex64' &&
    state.tensorInfo.get(x.dataId)?.backend === backendInstance
  );
}

/** A second tensor with the same data. */
export function share(engine: EngineInternals, { dataId, shape, dtype }: tf.Tensor): tf.Tensor {
  engine.backendInstance!.incRef(dataId);
  return engine.makeTensorFromTensorInfo({ dataId, shape, dtype });
}

function putOnTape(engine: EngineInternals, { x, saved }: { x: tf.Tensor; saved: tf.Tensor }): void {
  const gradient = (dy: tf.Tensor | tf.Tensor[]) => ({
    x: () => runOne('Cast', { x: dy as tf.Tensor }, { dtype: 'float32' }),
  });
  engine.addTapeNode('saved', { x }, [saved], gradient, [], {});
}
