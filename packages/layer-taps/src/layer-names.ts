import type { Layer } from './layer.js';

/**
 * One name per layer of a container. A name the user gave is kept; a generated one counts all layers of its class
 * since the process began, so it is replaced by class and position, skipping what the user took.
 */
export function namesInContainer(layers: readonly Layer[]): string[] {
  const taken = new Set(layers.filter((layer) => !hasGeneratedName(layer)).map((layer) => layer.name));
  const counts = new Map<string, number>();
  return layers.map((layer) => {
    if (!hasGeneratedName(layer)) return layer.name;
    const prefix = snakeCase(layer.getClassName());
    let count = counts.get(prefix) ?? 0;
    do count++;
    while (taken.has(`${prefix}_${count}`));
    counts.set(prefix, count);
    return `${prefix}_${count}`;
  });
}

/**
 * tfjs generates `dense_Dense3` for a layer, `model3` for a functional model and `sequential_3` for a Sequential.
 * A user who gives exactly such a name cannot be told apart, and gets a path by position.
 */
function hasGeneratedName(layer: Layer): boolean {
  const className = layer.getClassName();
  if ('layers' in layer && /^sequential_\d+$/.test(layer.name)) return true;
  if ('layers' in layer && isNumbered(layer.name, className.toLowerCase())) return true;
  const at = layer.name.lastIndexOf(`_${className}`);
  if (at === -1 || !isNumbered(layer.name.slice(at + 1), className)) return false;
  // tfjs's snake case differs from ours in where the underscores are (`conv_lst_m2d_ConvLSTM2D1`), and starts
  // with `private` when the class name starts with an underscore.
  const bareName = className.replaceAll('_', '').toLowerCase();
  const barePrefix = layer.name.slice(0, at).replaceAll('_', '');
  return barePrefix === bareName || barePrefix === `private${bareName}`;
}

function isNumbered(name: string, prefix: string): boolean {
  return name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length));
}

/** `BatchNormalization` to `batch_normalization`, `ConvLSTM2D` to `conv_lstm2d`, as Keras does. */
export function snakeCase(className: string): string {
  return className
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/\W+/g, '_')
    .toLowerCase();
}
