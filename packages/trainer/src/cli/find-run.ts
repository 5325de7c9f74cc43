import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { didYouMean } from '@hookline/hook-api';
import { findProjectRoot } from '@hookline/hook-discovery';
import { findRuns } from '@hookline/run-view';
import { isPlain } from '../config/plain.js';
import { trainerError } from '../errors.js';
import type { RunRecordFile } from '../run/record/run-record-file.js';

/** A run that a command is about. */
export interface NamedRun {
  readonly folder: string;
  readonly record: RunRecordFile;
}

/** The folder with the runs: `--runs`, or `runs` in the project. */
export function runsFolder(given: string | undefined): string {
  return resolve(given ?? join(findProjectRoot() ?? '.', 'runs'));
}

/** A run by its folder, its id or the beginning of its id; without a name, the latest. */
export async function findRun(name: string | undefined, runs: string): Promise<NamedRun> {
  const [named] = name === undefined ? [] : await findRuns(resolve(name)).catch(() => []);
  if (named === resolve(name ?? '')) return { folder: named, record: readRecord(named) };
  const folders = await findRuns(runs);
  const ids = folders.map((folder) => basename(folder));
  const found = name === undefined ? latest(folders) : folders.filter((_, at) => ids[at]!.startsWith(name));
  if (found.length === 1) return { folder: found[0]!, record: readRecord(found[0]!) };
  if (name === undefined)
    throw trainerError('RUN_MISSING', `There is no run in ${runs}. "hookline train" makes one.`);
  throw trainerError(
    'RUN_MISSING',
    found.length === 0
      ? `There is no run "${name}" in ${runs}.${didYouMean(name, ids)} "hookline runs" lists them.`
      : `Several runs in ${runs} begin with "${name}": ${found.map((folder) => basename(folder)).join(', ')}.`,
  );
}

/** By their records: the ids of runs that began in the same second have no order. One that cannot be read is passed over. */
function latest(folders: readonly string[]): string[] {
  const starts = folders.flatMap((folder) => {
    const { startedAt } = storedRecord(folder) ?? {};
    return typeof startedAt === 'string' ? [{ folder, startedAt }] : [];
  });
  const [first] = starts.sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
  return first ? [first.folder] : [];
}

function readRecord(folder: string): RunRecordFile {
  const record = storedRecord(folder);
  if (record === undefined) throw trainerError('RUN_MISSING', `${folder} has no run.json that can be read.`);
  // It may come from another program.
  return { ...record, git: Object(record.git), backend: Object(record.backend) };
}

function storedRecord(folder: string): RunRecordFile | undefined {
  try {
    const record: unknown = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
    return isPlain(record) ? (record as unknown as RunRecordFile) : undefined;
  } catch {
    return undefined;
  }
}
