import { layers, type Sequential, sequential } from '@tensorflow/tfjs-layers';

/** Three layers in a row, `first`, `second` and `third`, whose first weights are given. */
export function chain(kernels: [number, number, number] = [0.5, 0.5, 0.5]): () => Sequential {
  const names = ['first', 'second', 'third'];
  return () =>
    sequential({
      layers: kernels.map((value, index) =>
        layers.dense({
          name: names[index]!,
          units: 1,
          kernelInitializer: { className: 'Constant', config: { value } } as never,
          ...(index === 0 && { inputShape: [1] }),
        }),
      ),
    });
}
