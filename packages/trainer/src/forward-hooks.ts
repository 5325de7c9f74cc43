import { didYouMean, type ForwardEvent, type Hook, type HookManager } from '@hookline/hook-api';
import { matchesPath } from '@hookline/layer-taps';
import type { Tensor } from '@tensorflow/tfjs-core';
import { trainerError } from './errors.js';
import type { TapPoint, Trainable } from './model/trainable.js';
import type { RandomState } from './random.js';

/**
 * Connects hooks that want activations with the layers of the model. Only wanted layers are tapped, and taps are
 * made anew when hooks come or go.
 */
export class ForwardHooks {
  #revision = -1;
  #remove: (() => void) | undefined;

  constructor(
    private readonly hooks: HookManager,
    private readonly trainable: Trainable,
    private readonly random: RandomState,
  ) {}

  update(): void {
    if (this.#revision === this.hooks.revision) return;
    this.#revision = this.hooks.revision;
    this.#remove?.();
    this.#remove = undefined;
    const listeners = this.hooks.listeners('onForward', 'transformActivation');
    if (listeners.length === 0) return;
    const paths = this.trainable.layerPaths();
    if (paths) for (const hook of listeners) assertMatches(hook, paths);
    const wants = memoize((path) => new Set(listeners.filter((hook) => isWanted(hook, path))));
    this.#remove = this.trainable.tap(
      (path) => wants(path).size > 0,
      (point) => this.#onPoint(point, wants(point.path)),
    );
  }

  dispose(): void {
    this.#remove?.();
    this.#remove = undefined;
    this.#revision = -1;
  }

  #onPoint(
    { path, inputs, output, training, callIndex }: TapPoint,
    wanted: ReadonlySet<Hook>,
  ): Tensor | undefined {
    const { hooks } = this;
    if (!hooks.due('onForward') && !hooks.due('transformActivation')) return undefined;
    const event: ForwardEvent = { path, inputs, output, training, callIndex };
    const only = (hook: Hook) => wanted.has(hook);
    // We are inside the trainer's random section; hooks see the original Math.random.
    const { output: replaced } = this.random.outside(() => {
      hooks.call('onForward', event, only);
      return hooks.transform('transformActivation', event, acceptActivation, only);
    });
    return replaced === output ? undefined : replaced;
  }
}

/** Tensors made inside the tape belong to its tidy, so the one that was replaced needs no disposal. */
function acceptActivation(event: ForwardEvent, output: Tensor, { name }: Hook): ForwardEvent {
  const [given, expected] = [output.shape, event.output.shape].map(String);
  if (given === expected) return { ...event, output };
  throw trainerError(
    'BAD_TRANSFORM',
    `transformActivation of hook "${name}" returned a tensor of shape [${given}] for "${event.path}", whose output has shape [${expected}].`,
  );
}

function isWanted({ layers }: Hook, path: string): boolean {
  return layers === undefined || matchesPath(layers, path);
}

function assertMatches(hook: Hook, paths: readonly string[]): void {
  if (paths.some((path) => isWanted(hook, path))) return;
  const hint = typeof hook.layers === 'string' ? didYouMean(hook.layers, paths) : '';
  throw trainerError(
    'BAD_OPTIONS',
    `Hook "${hook.name}" taps layers ${String(hook.layers)}, but no layer of the model matches.${hint} Layers: ${paths.join(', ')}.`,
  );
}

function memoize<Value>(compute: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>();
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key)!;
  };
}
