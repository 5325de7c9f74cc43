import type { Gradients, GradientsEvent, Hook, HookEvents } from '@hookline/hook-api';
import { readNumbers } from '@hookline/numerics';
import type { Parameter } from '@hookline/optimizers';
import { type Clip, clipGradients, globalNorm } from '@hookline/optimizers';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';
import type { Run } from '../run/run.js';

/**
 * One optimizer step: transforms, clips and applies the gradients, which it takes over. All optimizers move the
 * weights in one synchronous section, which ends with `applied`: whoever looks finds the step done or not begun. On
 * an error nothing is applied any more, and nothing leaks.
 */
export async function update(
  run: Run,
  gradients: Gradients,
  clip: Clip | undefined,
  applied: () => void,
): Promise<void> {
  const { hooks, optimizers, strategy } = run.parts;
  const { state } = run;
  // Every tensor that was a gradient of this step at some time; they go together at the end.
  const owned = new Set(Object.values(gradients));
  let current = gradients;
  try {
    const combined = await strategy?.combine(gradients);
    if (combined) {
      const event = { step: state.step, gradients };
      current = acceptGradients(event, combined, owned, `Strategy "${strategy!.name}"`).gradients;
    }
    const accept = (event: GradientsEvent, result: Gradients, { name }: Hook) =>
      acceptGradients(event, result, owned, `transformGradients of hook "${name}"`);
    current = (await hooks.transform('transformGradients', { step: state.step, gradients: current }, accept))
      .gradients;
    if (clip) current = await clipAndTell(run, current, clip, owned);
    const moves: { mine: Gradients; event: () => HookEvents['onBeforeOptimizerStep']; skipped: boolean }[] =
      [];
    for (const [optimizerIndex, optimizer] of optimizers.entries()) {
      const mine = gradientsFor(optimizer.parameters, current);
      const event = () => ({ step: state.step, optimizerIndex, optimizer: optimizer.view, gradients: mine });
      run.takeWish('skipStep'); // a wish is for the optimizer in whose event it is made
      await run.fire('onBeforeOptimizerStep', event);
      moves.push({ mine, event, skipped: run.takeWish('skipStep') });
    }
    for (const [index, optimizer] of optimizers.entries()) {
      const { mine, skipped } = moves[index]!;
      if (skipped) continue;
      optimizer.apply(mine);
      applyConstraints(optimizer.parameters);
    }
    applied();
    for (const { event, skipped } of moves) {
      await run.fire('onAfterOptimizerStep', () => ({ ...event(), skipped }));
    }
  } finally {
    tf.dispose([...owned]);
  }
}

async function clipAndTell(
  run: Run,
  gradients: Gradients,
  clip: Clip,
  owned: Set<tf.Tensor>,
): Promise<Gradients> {
  const clipped = clipGradients(gradients, clip);
  for (const gradient of Object.values(clipped)) owned.add(gradient);
  if (run.parts.hooks.due('onGradientClip')) {
    // The norms cost a pass over the gradients and a read: only for somebody who asks.
    const norms = [globalNorm(gradients), globalNorm(clipped)];
    const [[normBefore], [normAfter]] = (await readNumbers(norms)) as [[number], [number]];
    tf.dispose(norms);
    await run.fire('onGradientClip', () => ({ step: run.state.step, ...clip, normBefore, normAfter }));
  }
  return clipped;
}

/** Joins what a hook returned with the gradients it left out. */
function acceptGradients(
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
