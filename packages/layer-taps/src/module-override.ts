import type { Tensor } from '@tensorflow/tfjs-core';
import { enterModulePass, passTracker } from './forward-pass.js';
import type { ModuleOptions, TappableModule } from './module.js';
import { replaceMethod } from './replace-method.js';
import { runOutputTaps } from './run-taps.js';
import type { TapHandlers } from './tap-handlers.js';

export interface ModuleTap {
  wants(path: string): boolean;
  readonly handlers: TapHandlers;
  /** Called with the points of every pass that has ended. */
  onPassEnd(paths: readonly string[]): void;
}

/** The one override of a module's `forward`; see `LayerOverride`, which it resembles. */
interface ModuleOverride {
  /** Never changed in place. A point runs on the list as it is when the pass comes to it. */
  taps: readonly ModuleTap[];
  uninstall(): void;
}

type Forward = (xs: never, options: ModuleOptions) => unknown;

const OVERRIDE = Symbol.for('hookline.layer-taps.module-override.1');

/** Returns the function that removes the tap. */
export function addModuleTap(module: TappableModule, tap: ModuleTap): () => void {
  const override = (module.forward as { [OVERRIDE]?: ModuleOverride })[OVERRIDE] ?? install(module);
  override.taps = [...override.taps, tap];
  return () => {
    override.taps = override.taps.filter((other) => other !== tap);
    if (override.taps.length === 0) override.uninstall();
  };
}

function install(module: TappableModule): ModuleOverride {
  const tracker = passTracker();
  const original: Forward = module.forward;
  const isEnumerable = Object.prototype.propertyIsEnumerable.call(module, 'forward');

  const forward: Forward = (xs, options) => {
    const training = Boolean(options?.training);
    const calls = new Map<string, number>();
    const pass = enterModulePass(tracker);
    const point = <Output extends Tensor>(path: string, output: Output): Output => {
      const callIndex = calls.get(path) ?? 0;
      calls.set(path, callIndex + 1);
      const taps = override.taps.flatMap(({ wants, handlers }) => (wants(path) ? { path, handlers } : []));
      const use = { layer: undefined, training, callIndex, pass: pass.number };
      const [tapped] = taps.length > 0 ? runOutputTaps(tracker, taps, use, [], [output]) : [output];
      // Those outside, such as a trainer's hooks, see what ours made of it.
      return options?.tap ? options.tap(path, tapped as Output) : (tapped as Output);
    };
    let outputs: unknown;
    try {
      outputs = original.call(module, xs, { ...options, training, tap: point });
    } finally {
      tracker.depth--;
    }
    for (const tap of override.taps) tap.onPassEnd([...calls.keys()]);
    return outputs;
  };

  const override: ModuleOverride = {
    taps: [],
    uninstall: replaceMethod(module, 'forward', forward, isEnumerable),
  };
  Object.defineProperty(forward, OVERRIDE, { value: override });
  return override;
}
