import type { Gradients, GradientsEvent, Hook, HookEvents } from '@hookline/hook-api';
import { readNumbers } from '@hookline/numerics';
import { type Clip, clipGradients, globalNorm, type Parameter } from '@hookline/optimizers';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';
import type { Run } from '../run/run.js';

/** An optimizer step that is ready to be applied. Whoever holds it disposes it. */
export interface PreparedStep {
  /** One for each optimizer. */
  readonly moves: readonly Move[];
  dispose(): void;
}

interface Move {
  readonly gradients: Gradients;
  /** A hook left this optimizer's update out. */
  readonly skipped: boolean;
  readonly event: () => HookEvents['onBeforeOptimizerStep'];
}

/**
 * Combines, transforms and clips the gradients, which it takes over, and lets the hooks see what will be applied. On an
 * error nothing leaks.
 */
export async function prepareStep(
  run: Run,
  clip: Clip | undefined,
  gradients: Gradients,
): Promise<PreparedStep> {
  // Every tensor that was a gradient of this step at some time; they go together at the end.
  const owned = new Set(Object.values(gradients));
  const dispose = () => tf.dispose([...owned]);
  const { step } = run.state;
  try {
    const unclipped = await transformGradients(run, gradients, owned);
    const ready = clip ? await clipAndReport(run, unclipped, clip, owned) : unclipped;
    await run.fire('onGradientsReady', () => ({ step, gradients: ready, unclipped }));
    return { moves: await planMoves(run, ready), dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

/**
 * Moves the weights: all optimizers in one synchronous section, so that whoever looks finds the step done or not begun.
 */
export function applyStep(run: Run, { moves }: PreparedStep): void {
  for (const [index, optimizer] of run.parts.optimizers.entries()) {
    const { gradients, skipped } = moves[index]!;
    if (skipped) continue;
    optimizer.apply(gradients);
    applyConstraints(optimizer.parameters);
  }
  run.average?.update();
}

export async function reportStep(run: Run, { moves }: PreparedStep): Promise<void> {
  for (const { event, skipped } of moves) {
    await run.fire('onAfterOptimizerStep', () => ({ ...event(), skipped }));
  }
}

async function transformGradients(run: Run, gradients: Gradients, owned: Set<tf.Tensor>): Promise<Gradients> {
  const { hooks, strategy } = run.parts;
  let event: GradientsEvent = { step: run.state.step, gradients };
  const combined = await strategy?.combine(gradients);
  if (combined) event = accepted(event, combined, owned, `Strategy "${strategy!.name}"`);
  const accept = (before: GradientsEvent, result: Gradients, { name }: Hook) =>
    accepted(before, result, owned, `transformGradients of hook "${name}"`);
  return (await hooks.transform('transformGradients', event, accept)).gradients;
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
async function planMoves(run: Run, all: Gradients): Promise<Move[]> {
  const { step } = run.state;
  const moves: Move[] = [];
  for (const [optimizerIndex, optimizer] of run.parts.optimizers.entries()) {
    const gradients = gradientsFor(optimizer.parameters, all);
    const event = () => ({ step, optimizerIndex, optimizer: optimizer.view, gradients });
    run.wishes.take('skipStep'); // a wish is for the optimizer in whose event it is made
    await run.fire('onBeforeOptimizerStep', event);
    moves.push({ gradients, event, skipped: run.wishes.take('skipStep') });
  }
  return moves;
}

/** Joins what a hook returned with the gradients that it left out. */
function accepted(
  event: GradientsEvent,
  result: Gradients,
  owned: Set<tf.Tensor>,
  who: string,
): GradientsEvent {
  for (const gradient of Object.values(result)) owned.add(gradient);
  for (const [path, gradient] of Object.entries(result)) {
    const expected = event.gradients[path]?.shape;
    if (expected && String(expected) === String(gradient.shape)) continue;
    throw trainerError(
      'BAD_TRANSFORM',
      expected
        ? `${who} returned shape [${gradient.shape}] for "${path}", whose gradient has shape [${expected}].`
        : `${who} returned a gradient for "${path}", but there is none. Gradients: ${Object.keys(event.gradients).join(', ')}.`,
    );
  }
  return { ...event, gradients: { ...event.gradients, ...result } };
}

function gradientsFor(parameters: readonly Parameter[], gradients: Gradients): Gradients {
  return Object.fromEntries(
    parameters.flatMap(({ path }) => {
      const gradient = gradients[path];
      return gradient ? [[path, gradient]] : [];
    }),
  );
}

function applyConstraints(parameters: readonly Parameter[]): void {
  for (const { variable, constraint } of parameters) {
    if (!constraint || !variable.trainable) continue;
    const allowed = tf.tidy(() => constraint(variable));
    variable.assign(allowed);
    allowed.dispose();
  }
}
