import type { Tensor } from '@tensorflow/tfjs-core';
import { countUse, enterPass, passTracker } from './forward-pass.js';
import type { Layer, LayerCall } from './layer.js';
import { replaceMethod } from './replace-method.js';
import { isTensor } from './replacement.js';
import { type PointTap, runInputTaps, runOutputTaps } from './run-taps.js';

/**
 * The one override of a layer's `call`, shared by all taps of the layer and all copies of this package: it hangs on
 * the overriding function under a registered symbol. Bump the number when the shape changes; overrides of different
 * numbers wrap each other.
 */
interface LayerOverride {
  /** Never changed in place: a running call finishes on the list it began with. */
  taps: readonly PointTap[];
  /** How many taps of inner layers need to know when this layer runs. */
  watchers: number;
  uninstall(): void;
}

const OVERRIDE = Symbol.for('hookline.layer-taps.override.1');

/** Returns the function that removes the tap. */
export function addTap(layer: Layer, tap: PointTap): () => void {
  const override = overrideOf(layer);
  override.taps = [...override.taps, tap];
  return () => {
    override.taps = override.taps.filter((other) => other !== tap);
    uninstallUnused(override);
  };
}

/** Makes the layer's calls known to the pass tracker; returns the function that ends it. */
export function watchCalls(layer: Layer): () => void {
  const override = overrideOf(layer);
  override.watchers++;
  return () => {
    override.watchers--;
    uninstallUnused(override);
  };
}

function overrideOf(layer: Layer): LayerOverride {
  return (layer.call as { [OVERRIDE]?: LayerOverride })[OVERRIDE] ?? install(layer);
}

function uninstallUnused(override: LayerOverride): void {
  if (override.taps.length === 0 && override.watchers === 0) override.uninstall();
}

function install(layer: Layer): LayerOverride {
  const tracker = passTracker();
  const original: LayerCall = layer.call;

  const call: LayerCall = (given, kwargs) => {
    if (!isTensor(Array.isArray(given) ? given[0] : given)) return original.call(layer, given, kwargs);
    const { taps } = override;
    const pass = enterPass(tracker);
    const callIndex = countUse(pass, override);
    const use = { layer, training: Boolean(kwargs?.training), callIndex, pass: pass.number };
    let inputs = given;
    let output: Tensor | Tensor[];
    try {
      if (taps.some(({ handlers }) => handlers.input)) {
        inputs = inFormOf(given, runInputTaps(tracker, taps, use, asList(given)));
      }
      output = original.call(layer, inputs, kwargs);
    } finally {
      tracker.depth--;
    }
    if (taps.length === 0) return output;
    return inFormOf(output, runOutputTaps(tracker, taps, use, asList(inputs), asList(output)));
  };

  const override: LayerOverride = {
    taps: [],
    watchers: 0,
    uninstall: replaceMethod(layer, 'call', call, false),
  };
  Object.defineProperty(call, OVERRIDE, { value: override });
  return override;
}

function asList(tensors: Tensor | Tensor[]): readonly Tensor[] {
  return Array.isArray(tensors) ? tensors : [tensors];
}

/** Layers that take or give a list get and give a list. */
function inFormOf(original: Tensor | Tensor[], tensors: readonly Tensor[]): Tensor | Tensor[] {
  return Array.isArray(original) ? [...tensors] : tensors[0]!;
}
