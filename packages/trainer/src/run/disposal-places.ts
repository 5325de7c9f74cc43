import type { Tensor } from '@tensorflow/tfjs-core';
import type { ShownTensor } from './payload-tensors.js';

/** Where tensors were disposed, until `stop`. */
export interface DisposalPlaces {
  /** Of the first of these whose place is known: `, at file:///project/train.js:12:5`. */
  of(gone: readonly ShownTensor[]): string | undefined;
  stop(): void;
}

/** Notes the line of code that disposes one of these tensors. Their own methods are as before afterwards. */
export function watchPlaces(tensors: readonly ShownTensor[]): DisposalPlaces {
  const places = new Map<Tensor, string | undefined>();
  for (const { tensor } of tensors) {
    if (Object.hasOwn(tensor, 'dispose')) continue;
    const dispose = () => {
      places.set(tensor, placeIn(new Error().stack));
      Reflect.deleteProperty(tensor, 'dispose');
      tensor.dispose();
    };
    Object.defineProperty(tensor, 'dispose', { value: dispose, configurable: true });
  }
  return {
    of: (gone) => gone.map(({ tensor }) => places.get(tensor)).find((place) => place !== undefined),
    stop: () => {
      for (const { tensor } of tensors) Reflect.deleteProperty(tensor, 'dispose');
    },
  };
}

/** The first line of a stack that is neither ours nor of tfjs. */
function placeIn(stack = ''): string | undefined {
  const [, , ...lines] = stack.split('\n'); // the message, and the function above
  const place = lines
    .filter((line) => !line.includes('tfjs-core'))
    .flatMap((line) => /([^()\s]+:\d+:\d+)\)?$/.exec(line.trim())?.[1] ?? [])[0];
  return place && `, at ${place}`;
}
