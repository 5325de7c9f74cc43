import type { Gradients, HostTensor, OptimizerGroupView, OptimizerView } from '@hookline/hook-api';
import { copyToHost, fromHost } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { optimizerError } from './errors.js';
import { groupView } from './group-view.js';
import type { Optimizer, Parameter } from './optimizer.js';

/** The learning rate is protected in the types of tfjs. Every optimizer but SGD reads the property at each step. */
interface LearningRate {
  learningRate: number;
  setLearningRate?(lr: number): void;
}

const INSTEAD =
  "Only the learning rate of a tf.train optimizer can be changed. Use one by name, such as { name: 'sgd', momentum: 0.9 }.";
const NO_EFFECT = { momentum: INSTEAD, weightDecay: INSTEAD };

/**
 * Runs an optimizer of `tf.train`. Its state is keyed by position, so the whole list of parameters is passed each time,
 * with null for those without a gradient.
 */
export class TfjsOptimizer implements Optimizer {
  readonly view: OptimizerView;
  readonly #group: OptimizerGroupView;

  constructor(
    private readonly optimizer: tf.Optimizer,
    readonly parameters: readonly Parameter[],
    name: string = optimizer.getClassName().toLowerCase(),
  ) {
    this.#group = { name, lr: (optimizer as unknown as LearningRate).learningRate, lrScale: 1 };
    this.view = Object.freeze({ name, groups: Object.freeze([groupView(this.#group, NO_EFFECT)]) });
  }

  apply(gradients: Gradients): void {
    const { lr, lrScale } = this.#group;
    const rate = this.optimizer as unknown as LearningRate;
    if (rate.setLearningRate) rate.setLearningRate(lr * lrScale);
    else rate.learningRate = lr * lrScale;
    this.optimizer.applyGradients(
      this.parameters.map(({ path, variable }) => ({
        name: variable.name,
        tensor: gradients[path] ?? null!,
      })),
    );
  }

  /** Its state can only be read asynchronously, so nothing may change it until the promise settles. */
  async saveState(): Promise<Record<string, HostTensor>> {
    // Leaves any tidy first, which would dispose what is made here.
    await undefined;
    const weights = await this.optimizer.getWeights().catch((cause: unknown) => {
      throw optimizerError(
        'BAD_OPTIMIZER',
        `tfjs cannot save the state of its optimizer "${this.view.name}", so a run with it cannot be resumed. ` +
          "Use an optimizer by name, such as { name: 'adam', lr: 0.001 }.",
        cause,
      );
    });
    const state = await copyToHost(
      Object.fromEntries(weights.map(({ tensor }, index) => [String(index), tensor])),
    );
    // The first entry, the step, was made for this call; the others are the optimizer's own variables.
    weights[0]?.tensor.dispose();
    return state;
  }

  /** Its state is keyed by position, so there is no way to tell. */
  fits(): boolean {
    return true;
  }

  async loadState(tensors: Readonly<Record<string, HostTensor>>): Promise<void> {
    const weights = Object.keys(tensors)
      .sort((a, b) => Number(a) - Number(b))
      .map((name) => ({ name, tensor: fromHost(tensors[name]!) }));
    // It copies what it is given and forgets what it had: both must be disposed here.
    const before = await this.optimizer.getWeights();
    await this.optimizer.setWeights(weights);
    multiplyBetasAgain(this.optimizer);
    tf.dispose([...before, ...weights].map(({ tensor }) => tensor));
  }
}

/** The part of the Adam of tfjs that carries the powers of its betas from step to step. */
interface BetaPowers {
  beta1: number;
  beta2: number;
  accBeta1?: tf.Variable;
  accBeta2?: tf.Variable;
}

/** In training, Adam multiplies step by step; in loading, it computes a power, whose last bit can differ. */
function multiplyBetasAgain(optimizer: tf.Optimizer): void {
  const { beta1, beta2, accBeta1, accBeta2 } = optimizer as unknown as BetaPowers;
  if (!accBeta1 || !accBeta2) return;
  for (const [variable, beta] of [[accBeta1, beta1] as const, [accBeta2, beta2] as const]) {
    let power = Math.fround(beta);
    for (let step = 0; step < optimizer.iterations; step++) power = Math.fround(power * Math.fround(beta));
    tf.tidy(() => variable.assign(tf.scalar(power)));
  }
}
