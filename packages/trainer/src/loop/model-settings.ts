import type { JsonValue } from '@hookline/hook-api';
import { layerPaths } from '@hookline/layer-taps';
import type { layers } from '@tensorflow/tfjs-layers';
import type { Trainable } from '../model/trainable.js';
import type { Settings } from '../resume/settings.js';
import { readableConfig } from '../run/record/config-hash.js';

/**
 * What the layers of a model compute beside their weights, such as activations and rates of dropout: a model whose weights
 * fit a checkpoint may be another one all the same. Modules are code, and show nothing.
 */
export function modelSettings({ source }: Pick<Trainable, 'source'>): Settings {
  if (!('layers' in source)) return {};
  const all = [...layerPaths(source)];
  return {
    model: all.map(([, layer]) => layer.getClassName()).join(', '),
    ...Object.fromEntries(
      all
        // Those of a model inside are listed themselves.
        .filter(([, layer]) => !('layers' in layer))
        .map(([path, layer]) => [`model of ${path}`, configOf(layer)]),
    ),
  };
}

function configOf(layer: layers.Layer): JsonValue {
  return withoutNames(readableConfig(layer.getConfig()));
}

/** Names that tfjs makes up differ from process to process, and an initializer has done its work. */
const LEFT_OUT = /^name$|^trainable$|^dtype$|initializer$/i;

function withoutNames(config: JsonValue): JsonValue {
  if (Array.isArray(config)) return config.map(withoutNames);
  if (typeof config !== 'object' || config === null) return config;
  return Object.fromEntries(
    Object.entries(config)
      .filter(([name, value]) => value !== null && !LEFT_OUT.test(name))
      .map(([name, value]) => [name, withoutNames(value)]),
  );
}
