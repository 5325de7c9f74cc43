import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf } from '@hookline/hook-api/helpers';
import { importFile } from '@hookline/hook-discovery';
import { makeFolderNow } from '@hookline/host/node';
import { loadConfig } from '@hookline/trainer/config';
import { sweepError } from './errors.js';
import { Journal } from './journal/journal.js';
import { replaceFile } from './replace-file.js';
import { type Job, nextJob } from './schedule.js';
import { type Sweep, type SweepConfig, sweepOf } from './sweep-config.js';

/** A sweep and its folder. */
export interface OpenSweep {
  readonly sweep: Sweep;
  readonly journal: Journal;
  /** The training config. */
  readonly configFile: string;
  readonly workers: number;
}

const NAMES = ['ts', 'mts', 'js', 'mjs'].map((extension) => `sweep.config.${extension}`);

/** Reads a sweep's file, checks it, and opens its folder: a new one, or that of the same sweep, to go on with. */
export async function openSweep(named?: string, cwd: string = process.cwd()): Promise<OpenSweep> {
  const file = findFile(named, cwd);
  const given = await readSweep(file);
  const base = dirname(file);
  const { file: configFile, config } = await loadConfig({ file: given.config, cwd: base });
  const { epochs } = config.fit;
  if (epochs === undefined) {
    throw sweepError(
      'SWEEP_CONFIG',
      `${configFile} does not set fit.epochs: the sweep must know how long a full training is.`,
    );
  }
  const sweep = sweepOf(given, epochs);
  // Every setting that is searched must exist; what is drawn first is as good as any.
  await loadConfig({ file: configFile, set: (nextJob(sweep, []) as Job).point });
  const folder = resolve(
    base,
    given.dir ?? join('sweeps', basename(file).replace(/(\.config)?\.[cm]?[jt]s$/, '')),
  );
  keepSettings(folder, sweep);
  return { sweep, journal: new Journal(folder), configFile, workers: given.workers ?? 1 };
}

function findFile(named: string | undefined, cwd: string): string {
  const candidates = named === undefined ? NAMES : [named];
  const found = candidates.map((name) => resolve(cwd, name)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw sweepError(
    'SWEEP_CONFIG',
    named === undefined
      ? `There is no sweep.config.ts in ${cwd}. Write one, or name the file: hookline sweep <file>.`
      : `There is no file ${resolve(cwd, named)}.`,
  );
}

async function readSweep(file: string): Promise<SweepConfig> {
  let exported: unknown;
  try {
    exported = (await importFile(file)).default;
  } catch (cause) {
    throw sweepError('SWEEP_CONFIG', `${file}: importing it failed: ${messageOf(cause).trim()}`, cause);
  }
  if (typeof exported === 'object' && exported !== null) return exported as SweepConfig;
  throw sweepError(
    'SWEEP_CONFIG',
    `${file} has no default export. Expected: export default defineSweep({ space: ... }).`,
  );
}

/** What was drawn by one sweep says nothing to another: only the number of trials may grow. */
function keepSettings(folder: string, sweep: Sweep): void {
  const file = join(folder, 'sweep.json');
  const now = JSON.parse(JSON.stringify(sweep)) as Record<string, unknown>;
  if (existsSync(file)) {
    const before = settingsIn(file);
    const differing = Object.keys(now).filter(
      (name) => name !== 'trials' && JSON.stringify(now[name]) !== JSON.stringify(before[name]),
    );
    if (differing.length > 0) {
      throw sweepError(
        'SWEEP_CHANGED',
        `${folder} holds trials of another sweep: ${differing.join(', ')} differ. ` +
          'Undo the change, or keep the new trials elsewhere with "dir".',
      );
    }
  }
  try {
    makeFolderNow(folder);
    replaceFile(file, `${JSON.stringify(now, null, 2)}\n`);
  } catch (cause) {
    throw sweepError(
      'SWEEP_FOLDER',
      `The trials cannot be written to ${folder}: ${messageOf(cause)}. Make it writable, or choose another folder with "dir".`,
      cause,
    );
  }
}

function settingsIn(file: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch (cause) {
    throw sweepError(
      'SWEEP_CHANGED',
      `${file} is not JSON, so it is unclear whether its trials belong to this sweep. ` +
        'Remove it if they do, or keep the new trials elsewhere with "dir".',
      cause,
    );
  }
}
