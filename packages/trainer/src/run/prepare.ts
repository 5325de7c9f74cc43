import type { HookLogger, OptimizerView } from '@hookline/hook-api';
import {
  createOptimizers,
  createSchedule,
  LrSchedule,
  type Optimizer,
  type OptimizerOption,
  type ScheduleOption,
} from '@hookline/optimizers';
import { registerGradients } from '@hookline/tfjs-corrections';
import type { BackendOption } from '../backends/backend-option.js';
import { type BackendChoice, selectBackend } from '../backends/select-backend.js';
import { trainerError } from '../errors.js';
import { buildModel, type Model, type ModelOption } from '../model/build-model.js';
import { NO_LAYER_STATES } from '../model/layer-states.js';
import type { Trainable } from '../model/trainable.js';
import { type BatchLoss, batchLoss } from '../objective/losses/batch-loss.js';
import type { LossOption, LossSettings } from '../objective/losses/output-losses.js';
import { type MetricsOption, outputMetrics } from '../objective/metrics/output-metrics.js';
import type { Objective } from '../objective/objective.js';
import { joinWorld } from '../strategies/join-world.js';
import type { StrategyOption } from '../strategies/strategy.js';
import type { World } from '../strategies/world.js';
import { freshStart } from './fresh-start.js';
import { RandomState } from './random.js';
import { rankLogger } from './rank-logger.js';

/** What is trained, and on what. */
export interface PrepareOptions<Built extends Model = Model> extends LossSettings {
  /** A model, or a function that makes one: then initialisation follows the seed. */
  model: ModelOption<Built>;
  /** What is minimised. Not needed when the model is a module with its own `loss`. */
  loss?: LossOption;
  /** `adam` when absent. */
  optimizer?: OptimizerOption;
  /** How the learning rate changes; several run one after the other. It stays as it is when absent. */
  schedule?: ScheduleOption;
  /** For every output, or lists by the outputs' names. */
  metrics?: MetricsOption;
  /** `auto`: tfjs-node-gpu where it has a GPU, else wasm, else cpu; tfjs-node and webgpu by name. wasm has settings. */
  backend?: BackendOption;
  /** In how many processes it trains: `simple` (default) in this one, `accelerate` in several. */
  strategy?: StrategyOption;
  /** `warn` (default) continues; `skip` and `throw` read the loss before each update and keep the weights intact. */
  nonFiniteLoss?: 'warn' | 'skip' | 'throw';
}

/** What every run of a trainer shares. */
export interface Prepared {
  readonly backend: BackendChoice;
  readonly random: RandomState;
  readonly trainable: Trainable;
  readonly optimizers: readonly Optimizer[];
  readonly schedule: LrSchedule | undefined;
  readonly objective: Objective;
  /** Whether data is refused that would make the loss NaN. */
  readonly checkData: boolean;
  /** The ranks that train together; undefined when this process trains alone. */
  readonly world: World | undefined;
  /** The same on all of them. */
  readonly seed: number;
  /** Of this rank. */
  readonly logger: HookLogger;
  /** The optimizers as they were configured, before any schedule or hook. */
  readonly configured: readonly OptimizerView[];
  /** Optimizers, schedule and random state as before the first run; the weights stay. */
  startOver(): void;
}

/** Backend first, then the model, so that a factory builds on it. */
export async function prepare(
  options: PrepareOptions,
  givenSeed: number,
  root: string,
  givenLogger: HookLogger,
): Promise<Prepared> {
  const world = await joinWorld(options.strategy ?? 'simple', root, givenLogger);
  try {
    // One that was drawn was drawn by each rank.
    const seed = world ? await world.fromMain(givenSeed) : givenSeed;
    return await prepareRank(options, seed, root, rankLogger(givenLogger, world), world);
  } catch (error) {
    world?.abort(error);
    throw error;
  }
}

async function prepareRank(
  options: PrepareOptions,
  seed: number,
  root: string,
  logger: HookLogger,
  world: World | undefined,
): Promise<Prepared> {
  // Ranks share the cores already: with threads besides, they would take them from each other.
  const threads = world && 1;
  const backend = await selectBackend({ backend: options.backend, root, threads });
  logger.info(
    { backend: backend.name, device: backend.device },
    `Computing with ${backend.name}: ${backend.reason}.`,
  );
  registerGradients();
  // What can be wrong in the options alone shows before the model is built.
  const loss = options.loss && batchLoss(options.loss, options);
  const segments = options.schedule && createSchedule(options.schedule);
  const random = new RandomState(seed);
  const trainable = await buildModel(options.model, random);
  if (!loss && !trainable.loss && !trainable.trainingStep) {
    throw trainerError(
      'BAD_LOSS',
      "new Trainer() needs a loss, such as 'meanSquaredError', or a module with its own loss() or trainingStep().",
    );
  }
  if (world) {
    checkSharing(trainable, world);
    const { takeMainWeights } = await import('./main-weights.js');
    await takeMainWeights(world, trainable, 'once the model is built');
  }
  const optimizers = createOptimizers(options.optimizer ?? 'adam', trainable.parameters, trainable.trained());
  if (trainable.trainingStep) checkOwnStep(optimizers);
  const configured = optimizers.map(({ view }) => ({
    ...view,
    groups: view.groups.map((group) => ({ ...group })),
  }));
  const schedule =
    segments &&
    new LrSchedule(
      segments,
      optimizers.map(({ view }) => view),
    );
  return {
    backend,
    random,
    trainable,
    optimizers,
    schedule,
    configured,
    startOver: freshStart(optimizers, configured, schedule, random, logger),
    objective: objectiveOf(trainable, loss, options.metrics),
    // Who says what to do with such a loss expects to get there.
    checkData: options.nonFiniteLoss === undefined,
    world,
    seed,
    logger,
  };
}

/** States that go from batch to batch belong to the samples of one rank: a checkpoint of the main rank has only its own. */
function checkSharing({ layerStates }: Trainable, { size }: World): void {
  if (layerStates === NO_LAYER_STATES) return;
  throw trainerError(
    'BAD_MODEL',
    `A model with stateful layers cannot be trained by ${size} processes: each of them would know the states of its own samples only. Set stateful: false, or train in one process with strategy: 'simple'.`,
  );
}

/** Several updates are one step, so what the first of them changed must be held. */
function checkOwnStep(optimizers: readonly Optimizer[]): void {
  const unheld = optimizers.find(({ hold }) => !hold);
  if (!unheld) return;
  throw trainerError(
    'BAD_OPTIONS',
    `A module with its own trainingStep() cannot use the tf.train optimizer "${unheld.view.name}", whose state cannot be kept in the middle of a step. Name one of the trainer's: 'adam', 'sgd', ...`,
  );
}

/** Names of outputs are checked here, where the model knows them; else with the first batch. */
function objectiveOf(
  trainable: Trainable,
  loss: BatchLoss | undefined,
  metrics: MetricsOption | undefined,
): Objective {
  const names = trainable.shapes?.outputs.map(({ name }) => name);
  const used = trainable.loss ? undefined : loss;
  const metricsFor = outputMetrics(metrics, used);
  if (!names) return { loss: used, metricsFor, metricNames: [] };
  const losses = used?.forOutputs(names).map(({ name }) => `${name}/loss`) ?? [];
  const measured = metricsFor(names).map(({ name }) => name);
  return { loss: used, metricsFor, metricNames: [...(losses.length > 1 ? losses : []), ...measured] };
}
