import { write } from '@hookline/test-support';

/** What a record of the trainer holds at least. */
const RECORD = {
  schema: 1,
  status: 'completed',
  startedAt: '2026-01-01T00:00:00.000Z',
  finishedAt: '2026-01-01T00:01:00.000Z',
  git: { commit: 'no repository', dirty: false },
  backend: { name: 'cpu' },
  config: {},
  seed: 1,
  versions: {},
  hooks: [],
};

/** Writes the folder of a run, as training would leave it. */
export function writtenRun(runs: string, id: string, record: object = {}, log: readonly object[] = []): void {
  write(runs, { [`${id}/run.json`]: { ...RECORD, id, ...record } });
  if (log.length > 0)
    write(runs, { [`${id}/log.jsonl`]: log.map((line) => `${JSON.stringify(line)}\n`).join('') });
}

/** A line with numbers of a step. */
export function numbersAt(step: number, metrics: object): object {
  return { event: 'log', step, epoch: 0, metrics };
}
