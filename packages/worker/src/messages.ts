import type {
  EventName,
  HostTensor,
  Metrics,
  OptimizerGroupView,
  RunInfo,
  Stage,
  TrainingState,
} from '@hookline/hook-api';
import type { PlainError } from './plain-error.js';

/** Marks a message as ours: a worker may talk to its page about other things, too. */
export const MARK = 'hookline';

/** The fields of events whose tensors can be copied to the main side. */
export const TENSOR_FIELDS = ['batch', 'outputs', 'gradients', 'unclipped'] as const;

export type TensorField = (typeof TENSOR_FIELDS)[number];

export type ToWorker =
  | TrainMessage
  /** So many events were dealt with. */
  | { type: 'done-with'; events: number }
  | VerbMessage;

export interface TrainMessage {
  type: 'train';
  settings: unknown;
  /** The events that hooks of the main side listen to. */
  events: EventName[];
  /** The names of those hooks. */
  hooks: string[];
  tensors: readonly TensorField[];
  /** What the worker holds as long as it lives; see `holdLife` of the host. */
  life: string;
}

export type VerbMessage = { type: 'verb' } & Verb;

export type Verb =
  | { verb: 'stop' | 'markFailed' | 'requestCheckpoint'; reason: string | undefined }
  | { verb: 'requestValidation' }
  | { verb: 'log'; values: Metrics }
  | { verb: 'lrScale'; optimizer: number; group: number; value: number };

export type FromWorker =
  /** The module has been loaded. */
  | { type: 'hello' }
  /** It holds its life. */
  | { type: 'alive' }
  | { type: 'events'; events: EventMessage[]; leftOut: number }
  | { type: 'ended'; result: unknown }
  | { type: 'failed'; error: PlainError };

export interface EventMessage {
  event: EventName;
  payload: Record<string, unknown>;
  /** Fields of the payload that hold tensors, and stayed in the worker. */
  withheld: string[];
  /** Fields of the payload that hold tensors, as copies. */
  copies: Record<string, TensorCopies>;
  state: StateMessage;
  /** With `setup` only. */
  start?: StartMessage | undefined;
}

/** The tensors of one field, each with its place in it, such as `['xs']` or `['ys', '0']`. */
export type TensorCopies = { place: string[]; copy: HostTensor }[];

export type StateMessage = Pick<
  TrainingState,
  'status' | 'epoch' | 'completedEpochs' | 'step' | 'batchIndex' | 'latestLoss' | 'avgLoss' | 'elapsedSeconds'
> & { metrics: Metrics; optimizers: { name: string; groups: OptimizerGroupView[] }[] };

export interface StartMessage {
  stage: Stage;
  backend: string;
  device: 'cpu' | 'gpu';
  modelParams: number;
  run: RunInfo;
}
