import { type Command, shortNumber } from '@hookline/hook-api/helpers';
import { findRuns, type RunView, readRun } from '@hookline/run-view';
import { printable, printableJson, shortPath } from '#host';
import { runsFolder } from './find-run.js';
import { readFlags } from './read-flags.js';
import { table } from './table.js';

/** Lists the runs of a project. */
export const runsCommand: Command = {
  summary: 'list the runs: status, best metric, duration, commit',
  usage: `hookline runs [--runs <folder>] [--json]

  --runs <folder>  where runs are, runs in the project by default
  --json           print JSON
`,
  async run(args, write) {
    const flags = readFlags(args, { runs: { type: 'string' }, json: { type: 'boolean' } });
    const folder = runsFolder(flags.runs);
    const views: RunView[] = [];
    for (const each of await findRuns(folder)) views.push(await readRun(each));
    // The ids of runs that began in the same second have no order.
    views.sort((a, b) => ((a.startedAt ?? '') < (b.startedAt ?? '') ? -1 : 1));
    if (flags.json) write(printableJson(views.map(rowData)));
    else if (views.length === 0) write(`There are no runs in ${printable(shortPath(folder))}.\n`);
    else write(`${table(printable([HEAD, ...views.map(row)])).join('\n')}\n`);
    return 0;
  },
};

const HEAD = ['run', 'status', 'epochs', 'best', 'duration', 'commit'];

function row(view: RunView): string[] {
  const { id, status, best, epochs, plannedEpochs, durationMs } = view;
  return [
    id,
    status,
    `${epochs.length}${plannedEpochs === undefined ? '' : `/${plannedEpochs}`}`,
    best ? `${best.metric} ${shortNumber(best.value)} (${best.epoch})` : '-',
    durationMs === undefined ? '-' : durationText(durationMs),
    shortCommit(view),
  ];
}

function rowData(view: RunView): object {
  const { id, folder, status, stopReason, failure, startedAt, durationMs, best, metrics } = view;
  const { commit, isDirty, seed, backend, configHash } = view;
  return {
    ...{ id, folder, status, stopReason, failure, startedAt, durationMs, best, metrics },
    ...{
      epochs: view.epochs.length,
      plannedEpochs: view.plannedEpochs,
      commit,
      isDirty,
      seed,
      backend,
      configHash,
    },
  };
}

/** `59283415*`: with a star where files differed from the commit; `-` where there is none. */
export function shortCommit({ commit = '', isDirty }: Pick<RunView, 'commit' | 'isDirty'>): string {
  return /^[0-9a-f]{40}/.test(commit) ? `${commit.slice(0, 8)}${isDirty ? '*' : ''}` : '-';
}

function durationText(milliseconds: number): string {
  // Rounded first: 59.96 s are a minute, and 119.7 s are two.
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
