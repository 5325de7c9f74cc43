import { didYouMean, type ForwardEvent, type Hook, type HookManager } from '@hookline/hook-api';
import { matchesPath } from '@hookline/layer-taps';
import { isTensor } from '@hookline/numerics';
import type { Tensor } from '@tensorflow/tfjs-core';
import { kindOf, trainerError } from '../errors.js';
import type { TapPoint, Trainable } from '../model/trainable.js';
import type { RandomState } from './random.js';
import { frozen } from './read-only.js';

/**
 * Connects hooks that want activations with the layers of the model. Only wanted layers are tapped, and taps are
 * renewed when hooks come or go.
 */
export class ForwardHooks {
  #revision = -1;
  #remove: (() => void) | undefined;
  /** Hooks whose layers nobody could check yet: the points of a module are known once it has run. */
  #unchecked: readonly Hook[] = [];

  constructor(
    private readonly hooks: HookManager,
    private readonly trainable: Trainable,
    private readonly random: RandomState,
    /** Calls them. */
    private readonly calls: Pick<HookManager, 'call' | 'transform'>,
  ) {}

  update(): void {
    if (this.#revision !== this.hooks.revision) this.#listen();
    else if (this.#unchecked.length > 0) this.#check();
  }

  dispose(): void {
    this.#remove?.();
    this.#remove = undefined;
    this.#revision = -1;
  }

  #listen(): void {
    this.dispose();
    this.#revision = this.hooks.revision;
    const listeners = this.hooks.listeners('onForward', 'transformActivation');
    this.#unchecked = listeners;
    if (listeners.length === 0) return;
    this.#check();
    const wants = memoize((path) => new Set(listeners.filter((hook) => isWanted(hook, path))));
    this.#remove = this.trainable.tap(
      (path) => wants(path).size > 0,
      (point) => this.#onPoint(point, narrowing(wants(point.path), listeners)),
    );
  }

  #check(): void {
    const paths = this.trainable.layerPaths();
    if (!paths) return;
    const hooks = this.#unchecked;
    this.#unchecked = [];
    for (const hook of hooks) assertMatches(hook, paths);
  }

  #onPoint(
    { path, inputs, output, training, callIndex }: TapPoint,
    only: ((hook: Hook) => boolean) | undefined,
  ): Tensor | undefined {
    const { hooks, calls } = this;
    // We are inside the trainer's random section; hooks and their filters see the original Math.random.
    return this.random.outside(() => {
      if (!hooks.due('onForward') && !hooks.due('transformActivation')) return undefined;
      const event = frozen<ForwardEvent>({ path, inputs: [...inputs], output, training, callIndex });
      calls.call('onForward', event, only);
      const { output: replaced } = calls.transform('transformActivation', event, acceptActivation, only);
      return replaced === output ? undefined : replaced;
    });
  }
}

/** Tensors made inside the tape belong to its tidy, so the one that was replaced needs no disposal. */
function acceptActivation(event: ForwardEvent, output: Tensor, { name }: Hook): ForwardEvent {
  const { shape } = event.output;
  if (isTensor(output) && String(output.shape) === String(shape)) return frozen({ ...event, output });
  throw trainerError(
    'BAD_TRANSFORM',
    `transformActivation of hook "${name}" returned ${kindOf(output)} for "${event.path}", whose output has shape [${shape}].`,
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

/** Undefined, which costs less, where all hooks want the point. */
function narrowing(wanted: ReadonlySet<Hook>, all: readonly Hook[]): ((hook: Hook) => boolean) | undefined {
  return wanted.size === all.length ? undefined : (hook) => wanted.has(hook);
}

function memoize<Value>(compute: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>();
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key)!;
  };
}
