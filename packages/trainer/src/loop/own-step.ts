import type { LoadedBatch } from '@hookline/data';
import { didYouMean } from '@hookline/hook-api';
import { isTensor, leaves, readNumbers } from '@hookline/numerics';
import type { Optimizer } from '@hookline/optimizers';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';
import type { Updates } from '../model/trainable.js';
import { samplesIn } from '../objective/count.js';
import type { Run } from '../run/run.js';
import { type BatchResult, byPath, eventOf, lossForBackward, wholeLoss } from './forward-backward.js';
import { loadRanks } from './load-ranks.js';
import { applyStep, prepareStep, reportStep } from './optimizer-step.js';
import type { FitPlan } from './plan.js';
import { lossAndGradients } from './tape.js';

/**
 * One batch of a module that makes its own updates. They count as one step, which is done as a whole or not at all: a
 * snapshot taken meanwhile goes back to before it. Undefined when a loss was not finite and is refused.
 */
export async function ownStep(run: Run, plan: FitPlan, item: LoadedBatch): Promise<BatchResult | undefined> {
  const { trainable, random } = run.parts;
  const step = new OwnStep(run, plan, item);
  run.cursor.holdStep();
  try {
    const loss = await random.duringAsync(() => trainable.trainingStep!(item.batch, step));
    step.own(loss);
    await step.settle();
    const samples = samplesIn(item.batch);
    const total = tf.keep(reported(loss));
    const nothing = { outputLosses: {}, metrics: [], series: [], outputs: [] };
    const own = { ...nothing, samples, count: samples, loss: total, logged: run.logged.take() };
    const sums = run.world ? (await (await loadRanks()).joinSums(run, run.world, item, own))!.sums : own;
    return { sums, gradients: {}, outputs: undefined };
  } catch (error) {
    if (step.isRefused) return undefined;
    throw error;
  } finally {
    step.dispose();
  }
}

class OwnStep implements Updates {
  /** What lives until the end of the step. */
  readonly #owned = new Set<tf.Tensor>();
  #running: Promise<unknown> | undefined;
  /** Of the first update that failed: the step has failed with it, whatever the module does with the error. */
  #failure: { readonly error: unknown } | undefined;
  #isOver = false;
  isRefused = false;

  constructor(
    private readonly run: Run,
    private readonly plan: FitPlan,
    private readonly item: LoadedBatch,
  ) {}

  readonly update: Updates['update'] = async (name, loss) => {
    const optimizer = optimizerNamed(name, this.run.parts.optimizers);
    if (this.#failure) throw this.#failure.error;
    if (this.#isOver || this.#running) throw notAwaited(name);
    // Hooks and what they wait for have the program's own Math.random.
    const running = this.run.parts.random.outsideAsync(() => this.#update(optimizer, loss));
    this.#running = running;
    try {
      return await running;
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    } finally {
      this.#running = undefined;
    }
  };

  readonly log: Updates['log'] = (values) => {
    for (const value of Object.values(values)) this.own(value);
    this.run.logged.log(values);
  };

  /** Takes a tensor over, unless it belongs to the batch or the model. */
  own(value: unknown): void {
    if (!isTensor(value) || 'assign' in value) return;
    const { xs, ys, weights } = this.item.batch;
    if (![...leaves(xs), ...leaves(ys), ...leaves(weights)].includes(value)) this.#owned.add(value);
  }

  /** The module has returned: nothing may be under way, and nothing may have failed. */
  async settle(): Promise<void> {
    this.#isOver = true;
    if (this.#running) {
      await this.#running.catch(() => {});
      throw notAwaited('...');
    }
    if (this.#failure) throw this.#failure.error;
  }

  dispose(): void {
    this.#isOver = true;
    this.run.logged.dispose();
    tf.dispose([...this.#owned]);
  }

  async #update(optimizer: Optimizer, loss: () => tf.Scalar): Promise<tf.Scalar> {
    const { run, plan, item } = this;
    const { view } = optimizer;
    const own = forwardBackwardOf(run, item, optimizer, loss);
    const { value, gradients } = run.world
      ? await (await loadRanks()).joinUpdate(run, run.world, item, own)
      : own;
    this.#owned.add(value);
    try {
      await run.fire('onAfterBackward', () => ({ ...eventOf(item), gradients, optimizer: view }));
      if (plan.nonFiniteLoss !== 'warn') await this.#refuseUnlessFinite(value);
    } catch (error) {
      tf.dispose(gradients);
      throw error;
    }
    run.phase('update');
    const prepared = await prepareStep(run, plan.clip, gradients, [optimizer]);
    try {
      applyStep(prepared);
      await reportStep(run, prepared);
    } finally {
      prepared.dispose();
      run.phase('other');
    }
    return value;
  }

  async #refuseUnlessFinite(loss: tf.Scalar): Promise<void> {
    const [[value]] = (await readNumbers([loss])) as [[number]];
    if (Number.isFinite(value)) return;
    this.isRefused = true;
    throw trainerError(
      'NON_FINITE_LOSS',
      'The loss of an update is not a finite number: the step was skipped.',
    );
  }
}

/** One synchronous section on the tape, for the parameters of one optimizer; all tensors belong to the caller. */
function forwardBackwardOf(
  run: Run,
  item: LoadedBatch,
  optimizer: Optimizer,
  compute: () => tf.Scalar,
): { value: tf.Scalar; gradients: Record<string, tf.Tensor> } {
  const { trainable, random } = run.parts;
  const trained = run.trained.filter((parameter) => optimizer.parameters.includes(parameter));
  run.updateTaps();
  const { loss, gradients } = random.during(() =>
    lossAndGradients(
      () => {
        run.phase('forward');
        const whole = wholeLoss(trainable, {}, compute());
        return lossForBackward(run, item, whole, {}, optimizer.view);
      },
      trained.map(({ variable }) => variable),
    ),
  );
  run.phase('other');
  return { value: loss, gradients: byPath(trained, gradients) };
}

/** A copy: the one that the module returned goes with the step. */
function reported(loss: unknown): tf.Scalar {
  if (isTensor(loss) && loss.size === 1) return tf.tidy(() => tf.reshape(tf.clone(loss), []));
  const given = isTensor(loss) ? `a tensor of shape [${loss.shape}]` : typeof loss;
  throw trainerError(
    'BAD_LOSS',
    `trainingStep() returned ${given}, expected the loss to report as train/loss: one number, as a tensor. Return what step.update() gave.`,
  );
}

function optimizerNamed(name: string, optimizers: readonly Optimizer[]): Optimizer {
  const names = optimizers.map(({ view }) => view.name);
  const [found, second] = optimizers.filter(({ view }) => view.name === name);
  if (found && !second) return found;
  throw trainerError(
    'BAD_MODEL',
    found
      ? `trainingStep() updates "${name}", but several optimizers have that name. Name them: optimizer: { generator: { name: '${name}', params: 'generator/**' }, ... }.`
      : `trainingStep() updates "${name}", but there is no such optimizer.${didYouMean(name, names)} Optimizers: ${names.join(', ')}.`,
  );
}

function notAwaited(name: string): Error {
  return trainerError(
    'BAD_MODEL',
    `trainingStep() did not wait for its updates. Write: await step.update('${name}', ...), one after the other.`,
  );
}
