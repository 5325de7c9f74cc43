import type { JsonValue } from '@hookline/hook-api';
import { type Command, shortNumber } from '@hookline/hook-api/helpers';
import { type RunView, readRun } from '@hookline/run-view';
import { printable, printableJson } from '#host';
import { trainerError } from '../errors.js';
import { type Difference, differences } from './differences.js';
import { findRun, type NamedRun, runsFolder } from './find-run.js';
import { readArguments } from './read-flags.js';
import { shortCommit } from './runs-command.js';
import { table } from './table.js';

/** Shows what two runs reached, and what was different about them. */
export const compareCommand: Command = {
  summary: 'compare two runs: metrics, config, hooks',
  usage: `hookline compare <run> <run> [--runs <folder>] [--json]

  <run>            its folder, its id or the beginning of its id
  --runs <folder>  where runs are, runs in the project by default
  --json           print JSON
`,
  async run(args, write) {
    const flags = { runs: { type: 'string' }, json: { type: 'boolean' } } as const;
    const { values, positionals } = readArguments(args, flags, 2);
    const [first, second] = positionals;
    if (first === undefined || second === undefined)
      throw trainerError('CLI_USAGE', 'Which two runs? Name both.');
    const folder = runsFolder(values.runs);
    const runs = [await findRun(first, folder), await findRun(second, folder)] as const;
    const views = [await readRun(runs[0].folder), await readRun(runs[1].folder)] as const;
    const comparison = compare(runs, views);
    write(values.json ? printableJson(comparison) : report(printable(comparison)));
    return 0;
  },
};

type Pair<Value> = readonly [Value, Value];

interface Comparison {
  readonly runs: Pair<{ id: string; status: string; best: string; commit: string }>;
  readonly metrics: readonly { name: string; a: number | undefined; b: number | undefined }[];
  readonly config: readonly Difference[];
  readonly hooks: readonly Difference[];
  readonly around: readonly Difference[];
}

function compare(runs: Pair<NamedRun>, views: Pair<RunView>): Comparison {
  const [a, b] = views;
  const [{ record: of }, { record: by }] = runs;
  const all = new Set([...Object.keys(a.metrics), ...Object.keys(b.metrics)]);
  const names = [...all].filter((name) => !OF_THE_MACHINE.test(name)).sort();
  return {
    runs: [summary(a), summary(b)],
    metrics: names.map((name) => ({ name, a: a.metrics[name], b: b.metrics[name] })),
    config: differences(withoutHooks(of.config), withoutHooks(by.config)),
    hooks: differences(hooksOf(a), hooksOf(b)),
    around: differences(aroundOf(runs[0]), aroundOf(runs[1])),
  };
}

/** How fast the machine was says nothing about the training. */
const OF_THE_MACHINE = /^(checkpoint|speed|memory|gpu)\//;

function summary(view: RunView): Comparison['runs'][0] {
  const { id, status, best } = view;
  const text = best ? `${best.metric} ${shortNumber(best.value)} (${best.epoch})` : '-';
  return { id, status, best: text, commit: shortCommit(view) };
}

function withoutHooks(config: JsonValue): JsonValue {
  const { hooks: _hooks, ...rest } = Object(config) as { hooks?: JsonValue };
  return rest;
}

/** Each with its options, or whether it is on. */
function hooksOf({ hooks }: RunView): JsonValue {
  const entries = hooks.map(({ name, isOn, options, package: from, version }) => {
    const setting: JsonValue = isOn ? (options ?? 'on') : 'off';
    return [name, from === undefined ? { setting } : { setting, version: `${from}@${version}` }];
  });
  return Object.fromEntries(entries) as JsonValue;
}

/** What may explain a difference without being a setting. */
function aroundOf({ record }: NamedRun): JsonValue {
  const { seed, git, backend, versions, platform, data, model } = record;
  const facts = {
    seed,
    commit: git.commit,
    diff: git.diff ?? null,
    backend: backend.name,
    versions,
    platform,
    data,
  };
  return { ...facts, model } as unknown as JsonValue;
}

function report({ runs, metrics, config, hooks, around }: Comparison): string {
  const [a, b] = runs;
  const rows = [
    ['', 'a', 'b'],
    ...(['id', 'status', 'best', 'commit'] as const).map((key) => [
      key === 'id' ? 'run' : key,
      a[key],
      b[key],
    ]),
    ...metrics.map(({ name, a: was, b: is }) => [name, numberText(was), numberText(is), changeText(was, is)]),
  ];
  return [
    ...table(rows.map((row) => (row.length > 3 ? row : [...row, '']))),
    ...section('Config', config),
    ...section('Hooks', hooks),
    ...section('Around them', around),
    '',
  ].join('\n');
}

function section(title: string, found: readonly Difference[]): string[] {
  if (found.length === 0) return ['', `${title}: the same`];
  return ['', title, ...table(found.map(({ path, a, b }) => [path, text(a), text(b)]))];
}

function text(value: JsonValue | undefined): string {
  return value === undefined ? '-' : JSON.stringify(value);
}

function numberText(value: number | undefined): string {
  return value === undefined ? '-' : shortNumber(value);
}

function changeText(a: number | undefined, b: number | undefined): string {
  if (a === undefined || b === undefined) return '';
  return a === b ? 'same' : `${b > a ? '+' : ''}${shortNumber(b - a)}`;
}
