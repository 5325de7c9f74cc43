import type { Tensor } from '@tensorflow/tfjs-core';
import { countUse, enterPass, outsidePass, type PassTracker, passTracker } from './forward-pass.js';
import type { Layer, LayerCall } from './layer.js';
import { isTensor, replacedOutputs } from './replacement.js';
import type { TapHandler } from './tap.js';

export interface LayerTap {
  readonly path: string;
  readonly handler: TapHandler;
}

/**
 * The one override of a layer's `call`, shared by all taps of the layer and all copies of this package: it hangs on
 * the overriding function under a registered symbol. Bump the number when the shape changes; overrides of different
 * numbers wrap each other.
 */
interface LayerOverride {
  /** Never changed in place: a running call finishes on the list it began with. */
  taps: readonly LayerTap[];
  /** How many taps of inner layers need to know when this layer runs. */
  watchers: number;
  uninstall(): void;
}

const OVERRIDE = Symbol.for('hookline.layer-taps.override.1');

/** Returns the function that removes the tap. */
export function addTap(layer: Layer, tap: LayerTap): () => void {
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
  const replaced = Object.getOwnPropertyDescriptor(layer, 'call');

  const call: LayerCall = (inputs, kwargs) => {
    if (!isTensor(Array.isArray(inputs) ? inputs[0] : inputs)) return original.call(layer, inputs, kwargs);
    const { taps } = override;
    const callIndex = countUse(enterPass(tracker), override);
    let output: Tensor | Tensor[];
    try {
      output = original.call(layer, inputs, kwargs);
    } finally {
      tracker.depth--;
    }
    if (taps.length === 0) return output;
    const training = Boolean(kwargs?.training);
    return runTaps(tracker, taps, { layer, inputs: asList(inputs), training, callIndex }, output);
  };

  const override: LayerOverride = {
    taps: [],
    watchers: 0,
    uninstall: () => {
      // Somebody else patched the layer after us and holds our function: it stays, and passes everything through.
      if (layer.call !== call) return;
      if (replaced) Object.defineProperty(layer, 'call', replaced);
      else delete (layer as Partial<Layer>).call;
    },
  };
  Object.defineProperty(call, OVERRIDE, { value: override });
  Object.defineProperty(layer, 'call', {
    value: call,
    configurable: true,
    writable: true,
    enumerable: false,
  });
  return override;
}

interface LayerUse {
  readonly layer: Layer;
  readonly inputs: readonly Tensor[];
  readonly training: boolean;
  readonly callIndex: number;
}

function runTaps(
  tracker: PassTracker,
  taps: readonly LayerTap[],
  use: LayerUse,
  output: Tensor | Tensor[],
): Tensor | Tensor[] {
  const original = asList(output);
  let outputs = original;
  outsidePass(tracker, () => {
    for (const { path, handler } of taps) {
      const returned = handler({ path, ...use, output: outputs[0]!, outputs });
      if (returned !== undefined) outputs = replacedOutputs(path, outputs, returned);
    }
  });
  if (outputs === original) return output;
  return Array.isArray(output) ? [...outputs] : outputs[0]!;
}

function asList(tensors: Tensor | Tensor[]): readonly Tensor[] {
  return Array.isArray(tensors) ? tensors : [tensors];
}
