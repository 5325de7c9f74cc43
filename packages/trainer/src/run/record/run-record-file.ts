import type { HookCost, JsonValue, Metrics, Stage } from '@hookline/hook-api';
import type { ProcessMark } from '@hookline/host';
import type { GitState } from '#host';
import type { BackendChoice } from '../../backends/select-backend.js';
import type { ModelLayer } from '../../model/model-layers.js';

/** A hook as the record lists it: whether it runs, with which options, and if not, why. */
export interface RunHook {
  readonly name: string;
  /** The installed hook that it is an instance of, under another name. */
  readonly instanceOf?: string | undefined;
  readonly source: string;
  readonly package?: string | undefined;
  readonly version?: string | undefined;
  readonly enabled: boolean;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly options?: object | undefined;
}

export interface RunModel {
  /** How many numbers it learns. */
  readonly params: number;
  /** Whether its initial weights follow from the seed; not so for a model that was built before the run. */
  readonly seeded: boolean;
  /** The first thousand. */
  readonly layers: readonly ModelLayer[];
}

/** How a run ended. */
export interface RunOutcome {
  readonly status: 'completed' | 'stopped' | 'error';
  readonly stopReason?: string | undefined;
  /** Why a hook counts it as failed, though it ended without an error. */
  readonly failure?: string | undefined;
  readonly metrics?: Metrics | undefined;
  readonly best?: object | undefined;
  readonly durationMs: number;
  readonly hookCosts?: readonly HookCost[] | undefined;
  readonly error?: unknown;
}

/** Each loader with its size, its settings and, where its values can be read, their fingerprint as `data`. */
export interface RunData {
  readonly train: Readonly<Record<string, LoaderFacts>>;
  readonly validation: Readonly<Record<string, LoaderFacts>>;
}

type LoaderFacts = Readonly<Record<string, string | number | boolean>>;

/** Where a run was taken up from. */
export interface ResumedFrom {
  /** The id of the run that saved the checkpoint. */
  readonly run?: string;
  readonly checkpoint: string;
  /** Optimizer steps that were done. */
  readonly step: number;
}

/** The content of `runs/<id>/run.json`. Numbers that JSON cannot hold are text: `"NaN"`, `"Infinity"`. */
export interface RunRecordFile extends Partial<Omit<RunOutcome, 'status' | 'error'>> {
  readonly schema: 1;
  readonly id: string;
  /** What opened the run. */
  readonly stage: Stage;
  /** The process that trains, to tell whether one that is `running` is still there. */
  readonly process: ProcessMark;
  /** `running` until the run has ended, and for good when its process was killed: see `statusOf`. */
  readonly status: 'running' | RunOutcome['status'];
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly finishedAt?: string;
  readonly git: GitState;
  /** The arguments of the program, without their secrets. */
  readonly argv: readonly string[];
  /** The config file that the run was made from, relative to the project; absent when it was made in code. */
  readonly configFile?: string;
  /** What replaced settings of that file, by path; secrets redacted. */
  readonly overrides?: JsonValue;
  /** What decides which batches a fit trains on; written when its data is known. */
  readonly data?: RunData;
  /** The checkpoint that the run continues. */
  readonly resumedFrom?: ResumedFrom;
  readonly seed: number;
  readonly configHash: string;
  /** The same for runs that can continue one another. */
  readonly experiment: string;
  /** Canonical: keys sorted, secrets redacted, `$` marks for what JSON does not know. */
  readonly config: JsonValue;
  readonly backend: BackendChoice;
  readonly versions: Readonly<Record<string, string>>;
  readonly platform: string;
  readonly model: RunModel;
  readonly hooks: readonly StoredHook[];
  readonly error?: StoredError;
}

export interface StoredHook extends Omit<RunHook, 'options'> {
  readonly options?: JsonValue;
}

export interface StoredError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
}
