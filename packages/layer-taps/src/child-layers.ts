import { isLayer, type Layer } from './layer.js';
import { namesInContainer } from './layer-names.js';

export interface ChildLayer {
  /** The child's segment of the path. */
  readonly name: string;
  readonly layer: Layer;
  /** tfjs runs the layers inside the child in its place, and never calls the child itself. */
  readonly inlined: boolean;
}

/** The layers directly inside a layer, in definition order, without InputLayers: tfjs never runs those. */
export function childLayers(layer: Layer): ChildLayer[] {
  return isContainer(layer) ? layersOfContainer(layer) : layersInProperties(layer);
}

interface Container extends Layer {
  readonly layers: readonly Layer[];
}

export function isContainer(layer: Layer): layer is Container {
  const { layers, inputs, outputs } = layer as Partial<Record<'layers' | 'inputs' | 'outputs', unknown>>;
  return Array.isArray(layers) && Array.isArray(inputs) && Array.isArray(outputs);
}

function layersOfContainer(container: Container): ChildLayer[] {
  const layers = [...new Set(container.layers)].filter((layer) => layer.getClassName() !== 'InputLayer');
  const names = namesInContainer(layers);
  // A Sequential takes the inner graph of a model that is its first layer as the beginning of its own.
  const inlinesFirst = typeof (container as { add?: unknown }).add === 'function';
  return layers.map((layer, i) => ({
    name: names[i]!,
    layer,
    inlined: inlinesFirst && layer === container.layers[0] && isContainer(layer),
  }));
}

// The property says what a layer is for; other layers keep the name of their property.
const ROLES: Readonly<Record<string, string>> = {
  forwardLayer: 'forward',
  backwardLayer: 'backward',
  cells: 'cell',
};

/**
 * Wrappers, RNNs and custom layers hold layers in properties: `layer` of TimeDistributed, `cell` of an RNN, whatever
 * a custom layer has. Going by property keeps the weights of a custom layer's parts apart.
 */
function layersInProperties(layer: Layer): ChildLayer[] {
  const children: ChildLayer[] = [];
  for (const [property, value] of Object.entries(layer)) {
    // The layer given to a Bidirectional is only the pattern for its two directions and never runs.
    if (property === 'layer' && 'forwardLayer' in layer) continue;
    const role = ROLES[property] ?? property;
    if (isLayer(value)) children.push({ name: role, layer: value, inlined: false });
    if (!Array.isArray(value)) continue;
    value.forEach((item: unknown, i) => {
      if (isLayer(item)) children.push({ name: `${role}_${i + 1}`, layer: item, inlined: false });
    });
  }
  return children;
}
