import type { CheckpointRef, HookLogger, RunInfo, Stage } from '@hookline/hook-api';
import { currentFolder, isAbsolute, join, relative, resolve, thisProcess } from '@hookline/host';
import { createRunId, loadedGitState, programFacts } from '#host';
import type { BackendChoice } from '../../backends/select-backend.js';
import { configHash, readableConfig } from './config-hash.js';
import { experimentOf } from './experiment.js';
import { readableArguments } from './readable-arguments.js';
import type { RunOrigin } from './run-origin.js';
import type {
  ResumedFrom,
  RunData,
  RunHook,
  RunModel,
  RunOutcome,
  RunRecordFile,
  StoredError,
  StoredHook,
} from './run-record-file.js';
import { openRunWriter } from './run-writer.js';

export interface CreateRunOptions {
  /** The project's root: its commit is recorded, and `runs` lies in it by default. */
  readonly root: string;
  /** The folder that holds the run folders; false writes nothing. */
  readonly dir?: string | false | undefined;
  /** Of the main rank, where several train together; else it gets its own. */
  readonly id?: string | undefined;
  /** Where several ranks train together. */
  readonly rank?: number;
  readonly world?: number;
  /** `false`: gives it an id, and neither writes nor logs anything. */
  readonly isWritten?: boolean;
  readonly stage: Stage;
  readonly config: object;
  readonly seed: number;
  readonly backend: BackendChoice;
  readonly hooks: readonly RunHook[];
  /** Versions by name; those of the host are added. */
  readonly versions: Readonly<Record<string, string>>;
  readonly model: RunModel;
  /** Shapes of the model's weights, by path. */
  readonly weights: Readonly<Record<string, readonly number[]>>;
  readonly logger: HookLogger;
  /** Absent when the trainer was made in code. */
  readonly origin?: RunOrigin | undefined;
}

/** A commit or a SHA-256; other words stay as they are. */
const HASH = /^([0-9a-f]{12})[0-9a-f]{28,}$/;

export interface RunFacts {
  readonly data: RunData;
  /** The checkpoint that the run continues. */
  readonly resumed?: CheckpointRef & { readonly step: number };
}

export interface RunRecord {
  /** What hooks see. */
  readonly info: RunInfo;
  /** Adds what is known only now. */
  note(facts: RunFacts): void;
  /** Puts how the run ended into the record, in place of what an earlier call put there. */
  finish(outcome: RunOutcome): void | Promise<void>;
}

/** Opens the record of a run: gives it an id and a folder, writes `run.json` and logs what identifies it. */
export async function createRun(options: CreateRunOptions): Promise<RunRecord> {
  const { root, dir, isWritten = true, stage, seed, backend, model, logger, rank, world } = options;
  const runsDir = resolve(root, dir || 'runs');
  const writer =
    dir === false || !isWritten ? undefined : await openRunWriter(runsDir, logger, stage === 'fit');
  const id = options.id ?? writer?.id ?? createRunId();
  const git = loadedGitState(root);
  const { argv, versions, platform } = programFacts();
  const config = identityOf(options);
  const info: RunInfo = {
    id,
    dir: writer && join(runsDir, id),
    runsDir,
    configHash: configHash(config),
    experiment: experimentOf(options.config, options.weights),
    gitCommit: git.commit,
    seed,
    ...(rank !== undefined && { rank }),
    ...(world !== undefined && { world }),
  };
  let start: RunRecordFile = {
    schema: 1,
    id,
    stage,
    status: 'running',
    startedAt: new Date().toISOString(),
    process: thisProcess(),
    git,
    argv: readableArguments(argv),
    ...(options.origin && originOf(options.origin, root)),
    seed,
    configHash: info.configHash,
    experiment: info.experiment,
    config: readableConfig(config),
    backend,
    versions: { ...versions, ...options.versions },
    platform,
    model,
    hooks: options.hooks.map(storedHook),
  };
  await writer?.write(start);
  const on = options.hooks.filter(({ enabled }) => enabled).map(({ name }) => name);
  // The record has the hashes in full; their beginnings tell runs apart.
  const [commit, shortHash] = [git.commit, info.configHash].map((text) => text.replace(HASH, '$1'));
  // The folder is named after the run.
  const place = info.dir === undefined ? { id } : { dir: relative(currentFolder(), info.dir) };
  if (isWritten) logger.info({ ...place, commit, config: shortHash, seed, hooks: on }, `${stage} starts`);
  return {
    info,
    note: ({ data, resumed }) => {
      start = { ...start, data, ...(resumed && { resumedFrom: resumedFrom(resumed, runsDir) }) };
      void writer?.write(start);
      options.origin?.accept?.(start, info.dir);
    },
    finish: ({ error, ...outcome }) => {
      const finishedAt = new Date().toISOString();
      const failure = error === undefined ? {} : { error: storedError(error) };
      return writer?.write({ ...start, ...outcome, finishedAt, ...failure });
    },
  };
}

/** Relative where it lies among the runs, so that they can be moved together. */
function resumedFrom({ path, run, step }: NonNullable<RunFacts['resumed']>, runsDir: string): ResumedFrom {
  const within = relative(runsDir, resolve(path));
  const isAmong = !within.startsWith('..') && !isAbsolute(within);
  return { ...(run !== undefined && { run }), checkpoint: isAmong ? within : path, step };
}

function originOf({ configFile, overrides }: RunOrigin, root: string): Partial<RunRecordFile> {
  return { configFile: relative(root, configFile), overrides: readableConfig(overrides) };
}

/** What makes two runs the same experiment: the config and the hooks that are on, in their order. */
function identityOf({ config, hooks }: CreateRunOptions): object {
  const on = hooks.filter(({ enabled }) => enabled);
  return { hooks: on.map(({ name, options }) => ({ name, options })), ...config };
}

function storedHook({ options, ...hook }: RunHook): StoredHook {
  const { name, instanceOf, source, package: from, version, enabled, status, reason } = hook;
  const place = { name, instanceOf, source, package: from, version };
  const stored = { ...place, enabled, status, reason: reason || undefined };
  return options ? { ...stored, options: readableConfig(options) } : stored;
}

/** All of it is text, whatever was thrown: a code that JSON cannot hold would cost the record its end. */
function storedError(error: unknown): StoredError {
  const { name = 'Error', message = error, code, stack } = Object(error) as Partial<StoredError>;
  return {
    name: String(name),
    message: String(message),
    ...(code !== undefined && { code: String(code) }),
    ...(stack !== undefined && { stack: String(stack) }),
  };
}
