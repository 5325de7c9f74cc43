import { shortNumber } from '@hookline/hook-api/helpers';
import { counted } from './counted.js';
import type { Inspected, InspectedFile, InspectedTensor } from './inspect-checkpoint.js';

/** One checkpoint, with its files and, if they are asked for, its tensors. */
export function reportOfCheckpoint(checkpoint: Inspected, withTensors: boolean): string {
  const { path, info, hooks, bytes, files, problems } = checkpoint;
  const { epoch, completedEpochs, step, savedAt, reason, run, metrics } = info;
  const lines = [path, ''];
  const add = (title: string, text: string | undefined) => {
    if (text) lines.push(`  ${title.padEnd(9)}${text}`);
  };
  if (step !== undefined) {
    add(
      'at',
      `epoch ${Number(epoch) + 1}, step ${step}; ${counted(Number(completedEpochs), 'epoch')} complete`,
    );
    add('saved', `${savedAt}, ${reason}`);
    add('run', String(run));
  }
  add('rating', ratingOf(checkpoint));
  add(
    'metrics',
    Object.entries(Object(metrics))
      .map(([name, value]) => `${name} ${shown(value)}`)
      .join('  '),
  );
  add('hooks', hooks.join(', '));
  add('size', sizeOf(bytes));
  lines.push('', ...table(files.map(fileRow)));
  if (withTensors) {
    const rows = files.flatMap((file) => (file.tensors ?? []).map((tensor) => tensorRow(file, tensor)));
    lines.push('', ...table(rows));
  }
  lines.push('', ...healthOf(problems), '');
  return lines.join('\n');
}

/** All checkpoints of a folder, a line each. */
export function reportOfFolder(
  dir: string,
  checkpoints: readonly Inspected[],
  marks: ReadonlyMap<string, readonly string[]>,
): string {
  const rows = checkpoints.map((checkpoint) => [
    checkpoint.name,
    checkpoint.info.step === undefined ? '' : `step ${checkpoint.info.step}`,
    ratingOf(checkpoint) ?? '',
    sizeOf(checkpoint.bytes),
    (marks.get(checkpoint.name) ?? []).join(', '),
    checkpoint.problems.length === 0 ? 'good' : 'damaged',
  ]);
  const problems = checkpoints.flatMap((each) => each.problems.map((problem) => `${each.name}: ${problem}`));
  return [dir, '', ...table(rows), '', ...healthOf(problems), ''].join('\n');
}

function ratingOf({ info }: Inspected): string | undefined {
  const { monitor, value } = Object(info.rating) as { monitor?: string; value?: unknown };
  return monitor === undefined ? undefined : `${monitor} ${shown(value)}`;
}

function fileRow({ name, bytes, tensors, problem }: InspectedFile): string[] {
  const values = (tensors ?? []).reduce((sum, tensor) => sum + tensor.values, 0);
  const content = tensors ? `${counted(tensors.length, 'tensor')}, ${counted(values, 'value')}` : '';
  return [name, sizeOf(bytes), content, problem === undefined ? 'good' : 'damaged'];
}

function tensorRow(
  file: InspectedFile,
  { name, dtype, shape, min, max, nonFinite }: InspectedTensor,
): string[] {
  const range = min === undefined ? '' : `${shortNumber(min)} to ${shortNumber(max!)}`;
  const bad = nonFinite > 0 ? `${nonFinite} not finite` : '';
  return [file.name.replace(/\.safetensors$/, ''), name, `${dtype} [${shape.join(', ')}]`, range, bad];
}

function healthOf(problems: readonly string[]): string[] {
  if (problems.length === 0) return ['  Good: every file is as it was written, and all numbers are finite.'];
  return ['  Not good:', ...problems.map((problem) => `    ${problem}`)];
}

function table(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')}`.trimEnd(),
  );
}

function shown(value: unknown): string {
  return typeof value === 'number' ? shortNumber(value) : String(value);
}

function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
