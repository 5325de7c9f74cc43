import type { GradientChanges, Gradients, GradientsEvent, Hook, HookEvents } from '@hookline/hook-api';
import { isTensor, readNumbers } from '@hookline/numerics';
import { type Clip, clipGradients, globalNorm, type Optimizer, type Parameter } from '@hookline/optimizers';
import * as tf from '@tensorflow/tfjs-core';
import { kindOf, trainerError } from '../errors.js';
import { frozen } from '../run/read-only.js';
import type { Run } from '../run/run.js';
import { loadRanks } from './load-ranks.js';

/** An optimizer step that is ready to be applied. Whoever holds it disposes it. */
export interface PreparedStep {
  /** One for each optimizer that takes part. */
  readonly moves: readonly Move[];
  dispose(): void;
}

interface Move {
  readonly optimizer: Optimizer;
  readonly gradients: Gradients;
  /** A hook left this optimizer's update out. */
  readonly skipped: boolean;
  readonly event: () => HookEvents['onBeforeOptimizerStep'];
}

/**
 * Transforms and clips the gradients, which it takes over, and lets the hooks see what will be applied. On an
 * error nothing leaks.
 */
export async function prepareStep(
  run: Run,
  clip: Clip | undefined,
  gradients: Gradients,
  optimizers: readonly Optimizer[] = run.parts.optimizers,
): Promise<PreparedStep> {
  // Every tensor that was a gradient of this step at some time; they go together at the end.
  const owned = new Set(Object.values(gradients));
  const dispose = () => tf.dispose([...owned]);
  const { step } = run.state;
  try {
    const unclipped = await transformGradients(run, gradients, owned);
    const ready = clip ? await clipAndReport(run, unclipped, clip, owned) : unclipped;
    await run.fire('onGradientsReady', () => ({ step, gradients: ready, unclipped }));
    return { moves: await planMoves(run, ready, optimizers), dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

/**
 * Moves the weights: all optimizers in one synchronous section, so that whoever looks finds the step done or not begun.
 */
export function applyStep({ moves }: PreparedStep): void {
  for (const { optimizer, gradients, skipped } of moves) {
    if (skipped) continue;
    optimizer.apply(gradients);
    applyConstraints(optimizer.parameters, gradients);
  }
}

export async function reportStep(run: Run, { moves }: PreparedStep): Promise<void> {
  for (const { event, skipped } of moves) {
    await run.fire('onAfterOptimizerStep', () => ({ ...event(), skipped }));
  }
}

async function transformGradients(run: Run, gradients: Gradients, owned: Set<tf.Tensor>): Promise<Gradients> {
  const event: GradientsEvent = frozen({ step: run.state.step, gradients });
  const accept = (before: GradientsEvent, result: GradientChanges, { name }: Hook) =>
    accepted(before, result, owned, `transformGradients of hook "${name}"`);
  return (await run.tensors.transform('transformGradients', event, accept)).gradients;
}

async function clipAndReport(
  run: Run,
  gradients: Gradients,
  clip: Clip,
  owned: Set<tf.Tensor>,
): Promise<Gradients> {
  const clipped = clipGradients(gradients, clip);
  for (const gradient of Object.values(clipped)) owned.add(gradient);
  if (run.parts.hooks.due('onGradientClip')) {
    // The norms cost a pass over the gradients and a device read: only for somebody who asks.
    const norms = [globalNorm(gradients), globalNorm(clipped)];
    const [[normBefore], [normAfter]] = (await readNumbers(norms)) as [[number], [number]];
    tf.dispose(norms);
    await run.fire('onGradientClip', () => ({ step: run.state.step, ...clip, normBefore, normAfter }));
  }
  return clipped;
}

/** The gradients of each optimizer's parameters, with what hooks say about applying them. */
async function planMoves(run: Run, all: Gradients, optimizers: readonly Optimizer[]): Promise<Move[]> {
  const { step } = run.state;
  const moves: Move[] = [];
  for (const optimizer of optimizers) {
    const optimizerIndex = run.parts.optimizers.indexOf(optimizer);
    const gradients = gradientsFor(optimizer.parameters, all);
    const event = () => ({ step, optimizerIndex, optimizer: optimizer.view, gradients });
    run.wishes.take('skipStep'); // a wish is for the optimizer in whose event it is made
    await run.fire('onBeforeOptimizerStep', event);
    moves.push({ optimizer, gradients, event, skipped: run.wishes.take('skipStep') });
  }
  const { world } = run;
  if (!world) return moves;
  const wished = moves.map(({ skipped }) => skipped);
  const { agreeOnMoves } = await loadRanks();
  const skipped = await agreeOnMoves(world, step, optimizers, wished);
  return moves.map((move, index) => ({ ...move, skipped: skipped[index]! }));
}

/** Joins what a hook returned with the gradients that it left out, without those that it set to null. */
function accepted(
  event: GradientsEvent,
  result: GradientChanges,
  owned: Set<tf.Tensor>,
  who: string,
): GradientsEvent {
  if (!isRecord(result)) {
    throw trainerError(
      'BAD_TRANSFORM',
      `${who} returned ${kindOf(result)}, expected gradients by parameter path, or undefined to keep them all.`,
    );
  }
  for (const gradient of Object.values(result)) if (isTensor(gradient)) owned.add(gradient);
  const gradients = { ...event.gradients };
  for (const [path, gradient] of Object.entries(result)) {
    const expected = event.gradients[path]?.shape;
    if (expected && gradient === null) delete gradients[path];
    else if (expected && isTensor(gradient) && String(expected) === String(gradient.shape))
      gradients[path] = gradient;
    else
      throw trainerError(
        'BAD_TRANSFORM',
        expected
          ? `${who} returned ${kindOf(gradient)} for "${path}", expected a tensor of shape [${expected}], or null for no update.`
          : `${who} returned a gradient for "${path}", but there is none. Gradients: ${Object.keys(event.gradients).join(', ')}.`,
      );
  }
  return frozen({ ...event, gradients });
}

function isRecord(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || isTensor(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function gradientsFor(parameters: readonly Parameter[], gradients: Gradients): Gradients {
  const found: Record<string, tf.Tensor> = {};
  for (const { path } of parameters) {
    const gradient = gradients[path];
    if (gradient) found[path] = gradient;
  }
  return found;
}

/** Of parameters that have moved: one without a gradient stays as it is. */
function applyConstraints(parameters: readonly Parameter[], gradients: Gradients): void {
  for (const { path, variable, constraint } of parameters) {
    if (!constraint || !gradients[path]) continue;
    const allowed = tf.tidy(() => constraint(variable));
    variable.assign(allowed);
    allowed.dispose();
  }
}
