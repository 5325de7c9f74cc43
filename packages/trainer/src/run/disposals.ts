import type { Hook } from '@hookline/hook-api';
import type { Tensor } from '@tensorflow/tfjs-core';
import type { ShownTensor } from './payload-tensors.js';

interface Disposal {
  readonly hook: Hook | undefined;
  /** `, at file:///project/train.js:12:5` */
  readonly place: string | undefined;
}

/** Notes which hook disposes one of the tensors that are watched, and in which line of code. */
export class Disposals {
  readonly #watched = new Set<Tensor>();
  readonly #known = new Map<Tensor, Disposal>();
  #running: Hook | undefined;

  /** To be told which hook is called next; whoever asks for some hooks only is asked before each call. */
  readonly enter = (hook: Hook): true => {
    this.#running = hook;
    return true;
  };

  watch(tensors: readonly ShownTensor[]): void {
    for (const { tensor } of tensors) {
      if (this.#watched.has(tensor)) continue;
      this.#watched.add(tensor);
      if (tensor.isDisposed) this.#known.set(tensor, { hook: this.#running, place: undefined });
      else if (!Object.hasOwn(tensor, 'dispose')) this.#intercept(tensor);
    }
  }

  /** The hooks that disposed these, and where the first of them did; no hooks where nobody was seen. */
  of(gone: readonly ShownTensor[]): { hooks: Hook[]; place: string | undefined } {
    const disposals = gone.flatMap(({ tensor }) => this.#known.get(tensor) ?? []);
    const hooks = new Set(disposals.flatMap(({ hook }) => hook ?? []));
    return { hooks: [...hooks], place: disposals.find(({ place }) => place)?.place };
  }

  /** The tensors' own methods are as before from now on. */
  stop(): void {
    for (const tensor of this.#watched) Reflect.deleteProperty(tensor, 'dispose');
  }

  #intercept(tensor: Tensor): void {
    const dispose = () => {
      this.#known.set(tensor, { hook: this.#running, place: placeIn(new Error().stack) });
      Reflect.deleteProperty(tensor, 'dispose');
      tensor.dispose();
    };
    Object.defineProperty(tensor, 'dispose', { value: dispose, configurable: true });
  }
}

/** The first line of a stack that is neither ours nor of tfjs. */
function placeIn(stack = ''): string | undefined {
  const [, , ...lines] = stack.split('\n'); // the message, and the function above
  const place = lines
    .filter((line) => !line.includes('tfjs-core'))
    .flatMap((line) => /([^()\s]+:\d+:\d+)\)?$/.exec(line.trim())?.[1] ?? [])[0];
  return place && `, at ${place}`;
}
