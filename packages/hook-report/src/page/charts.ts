import type { RunView } from '@hookline/run-view';
import type { Chart, ChartLine } from './chart.js';

/** The charts of a page, under their headings. */
export interface ChartSection {
  readonly heading: string;
  readonly charts: readonly Chart[];
}

const MOST_CHARTS = 24;
const MOST_LINES = 8;
const STAGES = ['train', 'val', 'test'];

/** What is drawn of one run, or of several in one chart each. */
export function chartSections(runs: readonly RunView[]): ChartSection[] {
  const names = new Set(runs.flatMap(({ series }) => [...series.keys()]));
  const measured = grouped(
    [...names].filter((name) => /^(train|val|test|batch)\//.test(name)),
    lastPart,
  );
  const isLoss = ([name]: [string, string[]]) => name === 'loss';
  const ordered = [...[...measured].filter(isLoss), ...[...measured].filter((group) => !isLoss(group))];
  const rest = [...names].filter((name) => !/^(train|val|test|batch)\//.test(name));
  const of = (pattern: RegExp) => rest.filter((name) => pattern.test(name));
  const others = rest.filter(
    (name) => !/^(lr|speed|grad|memory|gpu|time)\//.test(name) && name.split('/').length < 3,
  );
  const sections: ChartSection[] = [
    {
      heading: 'Loss and metrics',
      charts: ordered.slice(0, MOST_CHARTS).map(([name, group]) => measuredChart(runs, capital(name), group)),
    },
    {
      heading: 'Learning rate and throughput',
      charts: [
        plainChart(runs, 'Learning rate', of(/^lr\//)),
        plainChart(runs, 'Samples per second', of(/^speed\/samples/)),
        ...(of(/^speed\/samples/).length > 0
          ? []
          : [plainChart(runs, 'Steps per second', of(/^speed\/steps/))]),
      ],
    },
    {
      heading: 'Gradients',
      charts: [
        plainChart(runs, 'Norm of all gradients', of(/^grad\/norm$/)),
        ...(runs.length > 1
          ? []
          : [plainChart(runs, 'Norm by parameter', largest(runs[0]!, of(/^grad\/norm\//)))]),
      ],
    },
    {
      heading: 'Logged by hooks',
      charts: others.slice(0, MOST_CHARTS).map((name) => plainChart(runs, name, [name])),
    },
    {
      heading: 'Memory',
      charts: [
        plainChart(runs, 'Memory of the process (MiB)', of(/^memory\/rss-mib$/)),
        plainChart(runs, 'Tensors', of(/^memory\/tensors$/)),
        plainChart(runs, 'Graphics cards: use in percent', of(/^gpu\/.*\/utilization$/)),
      ],
    },
  ];
  return sections.filter(({ charts }) => charts.some(({ lines }) => lines.length > 0));
}

/** Training and validation in one chart, and behind them the numbers of single batches. */
function measuredChart(runs: readonly RunView[], title: string, names: readonly string[]): Chart {
  const isAlone = runs.length === 1;
  const means = names.filter((name) => !name.startsWith('batch/'));
  const lines = runs.flatMap((run, at) => {
    const batches = names.filter((name) => name.startsWith('batch/') && isAlone && run.series.has(name));
    const faint = batches.map((name) => lineOf(run, name, 0, isAlone, { isFaint: true }));
    const known = means.filter((name) => run.series.has(name)).sort(byStage);
    const drawn = known
      .slice(0, MOST_LINES)
      .map((name, index) =>
        lineOf(run, name, isAlone ? index : at, isAlone, { isDashed: !isAlone && name.startsWith('train/') }),
      );
    return [...faint, ...drawn];
  });
  const [run] = runs;
  const best = isAlone && run?.best && names.includes(run.best.metric) ? bestOf(run) : undefined;
  return { title, lines, best, marks: isAlone ? resumesOf(run!) : [] };
}

function plainChart(runs: readonly RunView[], title: string, names: readonly string[]): Chart {
  const isAlone = runs.length === 1;
  const lines = runs.flatMap((run, at) =>
    names
      .filter((name) => run.series.has(name))
      .slice(0, MOST_LINES)
      .map((name, index) => lineOf(run, name, isAlone ? index : at, isAlone, {})),
  );
  const isCut = isAlone && names.length > MOST_LINES;
  const note = isCut
    ? { note: `The ${MOST_LINES} largest of ${names.length}; the others are in log.jsonl.` }
    : {};
  return { title, lines, marks: isAlone ? resumesOf(runs[0]!) : [], ...note };
}

function lineOf(
  run: RunView,
  name: string,
  color: number,
  isAlone: boolean,
  kind: Pick<ChartLine, 'isFaint' | 'isDashed'>,
): ChartLine {
  const label = name.replace(/^grad\/norm\/(?=.)/, '');
  return { label: isAlone ? label : `${run.id} ${label}`, series: run.series.get(name)!, color, ...kind };
}

/** Training, validation, test: each has the same colour in every chart. */
function byStage(a: string, b: string): number {
  const rank = (name: string) => STAGES.indexOf(name.slice(0, name.indexOf('/')));
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

function bestOf(run: RunView): Chart['best'] {
  const { epoch, value } = run.best!;
  const row = run.epochs.find((each) => each.epoch === epoch - 1);
  return row && { step: row.step, value, label: `best, epoch ${epoch}` };
}

function resumesOf({ resumes }: RunView): Chart['marks'] {
  return resumes.map(({ step }) => ({ step, label: `resumed at step ${step}` }));
}

function largest({ series }: RunView, names: readonly string[]): string[] {
  return [...names].sort((a, b) => (series.get(b)?.latest ?? 0) - (series.get(a)?.latest ?? 0));
}

function grouped(names: readonly string[], keyOf: (name: string) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names) groups.set(keyOf(name), [...(groups.get(keyOf(name)) ?? []), name]);
  return groups;
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
