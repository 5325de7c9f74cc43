import type { JsonValue } from '@hookline/hook-api';
import { findProjectRoot } from '@hookline/hook-discovery';
import { loadedGitState } from '#host';
import type { RunRecordFile } from '../run/record/run-record-file.js';
import { differences } from './differences.js';
import type { NamedRun } from './find-run.js';

/** Why the code here is not that of the run. */
export function codeReasons({ folder, record }: NamedRun): string[] {
  const was = record.git;
  const is = loadedGitState(findProjectRoot(folder) ?? folder);
  if (was.commit !== is.commit) {
    const commit = was.commit ?? 'not recorded';
    const isHash = /^[0-9a-f]{40}/.test(commit);
    return [`its commit is ${commit}, here it is ${is.commit}${isHash ? `: git checkout ${commit}` : ''}`];
  }
  if ((was.diff ?? null) === is.diff) return [];
  if (was.diff) return ['tracked files differed from its commit, and differ in another way here'];
  return ['tracked files differ from its commit here: commit or stash the changes'];
}

/** Of a run that resumes another; it gives the same bits without. */
const MAY_DIFFER = new Set(['seed', 'resume', 'override', 'strictResume']);

/** Why a run that is about to start is not the same training. */
export function recordReasons(was: RunRecordFile, is: RunRecordFile): string[] {
  const config = differences(settingsOf(was), settingsOf(is)).map(
    ({ path, a, b }) => `config: ${path} was ${text(a)} and is ${text(b)}`,
  );
  const data = was.data ? differences(json(was.data), json(is.data)) : [];
  const changes = data.map(({ path, a, b }) => {
    const [, name] = path.split('.');
    return path.endsWith('.data')
      ? `data: "${name}" has other values`
      : `data: ${path} was ${text(a)} and is ${text(b)}`;
  });
  const backend =
    was.backend.name === is.backend.name
      ? []
      : [`its backend was ${was.backend.name}, here it is ${is.backend.name}`];
  return [...config, ...changes, ...backend];
}

function settingsOf({ config }: RunRecordFile): JsonValue {
  const entries = Object.entries(Object(config) as Record<string, JsonValue>);
  return Object.fromEntries(entries.filter(([name]) => !MAY_DIFFER.has(name)));
}

function json(value: unknown): JsonValue {
  return value as JsonValue;
}

function text(value: JsonValue | undefined): string {
  return value === undefined ? 'not set' : JSON.stringify(value);
}
