import type { Layer } from '@hookline/layer-taps';
import type { Tensor } from '@tensorflow/tfjs-core';
import { dilateFilter } from '../gradients/spread.js';
import { type Correction, overrideProperty, undoAll } from './override.js';

interface Conv2D {
  readonly dilationRate: readonly number[];
  readonly kernel: { read(): Tensor };
}

/**
 * Stock: a Conv2D layer with a `dilationRate` cannot be trained, because the gradient of the fused kernel it uses refuses
 * dilations. In training the layer gets its kernel with zeros between the elements and no dilation, which is the same
 * convolution. The other layers use kernels whose gradients `registerGradients` replaces.
 */
export function dilatedConv(layers: readonly Layer[]): Correction | undefined {
  const dilated = layers
    .filter((layer) => layer.getClassName() === 'Conv2D')
    .map((layer) => ({ layer, conv: layer as unknown as Conv2D }))
    .filter(({ conv }) => conv.dilationRate.some((rate) => rate > 1));
  if (dilated.length === 0) return undefined;
  return (training) => {
    if (!training) return () => {};
    const undo = dilated.flatMap(({ layer, conv: { kernel, dilationRate } }) => [
      overrideProperty(layer, 'kernel', { read: () => dilateFilter(kernel.read(), dilationRate) }),
      overrideProperty(layer, 'dilationRate', [1, 1]),
    ]);
    return undoAll(undo);
  };
}
