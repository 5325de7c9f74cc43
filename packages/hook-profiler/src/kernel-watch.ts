import * as tf from '@tensorflow/tfjs-core';

export interface KernelTotal {
  calls: number;
  /** Without the kernels that it calls itself. */
  milliseconds: number;
}

export interface KernelCall {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Times the kernels of a backend, each by its name: it registers wrappers that call the same functions with the same
 * arguments, until `stop`. Fused steps that a fast backend makes without a kernel are not seen.
 */
export class KernelWatch {
  readonly totals: Map<string, KernelTotal> = new Map();
  /** Whether each call is kept, for a trace. */
  keepsCalls = false;
  #calls: KernelCall[] = [];
  /** What inner kernels have taken of the one that is running. */
  #inner = 0;
  #isStopped = false;
  readonly #wrapped: readonly { readonly stock: tf.KernelConfig; readonly timed: tf.KernelConfig }[];

  constructor(backend: string) {
    this.#wrapped = tf.getKernelsForBackend(backend).map((stock) => {
      const timed = { ...stock, kernelFunc: this.#timed(stock) };
      replace(timed);
      return { stock, timed };
    });
  }

  takeCalls(): readonly KernelCall[] {
    const calls = this.#calls;
    this.#calls = [];
    return calls;
  }

  /** A kernel that somebody else has registered meanwhile stays, and may go on calling ours. */
  stop(): void {
    this.#isStopped = true;
    for (const { stock, timed } of this.#wrapped) {
      if (tf.getKernel(stock.kernelName, stock.backendName)?.kernelFunc === timed.kernelFunc) replace(stock);
    }
  }

  #timed({ kernelName: name, kernelFunc }: tf.KernelConfig): tf.KernelFunc {
    return (params) => {
      if (this.#isStopped) return kernelFunc(params);
      const outer = this.#inner;
      this.#inner = 0;
      const start = performance.now();
      try {
        return kernelFunc(params);
      } finally {
        const end = performance.now();
        this.#note({ name, start, end }, end - start - this.#inner);
        this.#inner = outer + end - start;
      }
    };
  }

  #note(call: KernelCall, own: number): void {
    const total = this.totals.get(call.name);
    if (!total) this.totals.set(call.name, { calls: 1, milliseconds: own });
    else {
      total.calls++;
      total.milliseconds += own;
    }
    if (this.keepsCalls) this.#calls.push(call);
  }
}

function replace(config: tf.KernelConfig): void {
  tf.unregisterKernel(config.kernelName, config.backendName);
  tf.registerKernel(config);
}
