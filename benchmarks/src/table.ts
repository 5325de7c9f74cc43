import { isWithinBudget, type Row } from './benchmark.js';

const HEAD = ['benchmark', 'ratio', 'interval of the median', 'middle half', 'budget', 'within', 'measured'];

/** A Markdown table, aligned so that it reads well in a terminal too. */
export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(cellsOf);
  const widths = HEAD.map((head, column) =>
    Math.max(head.length, ...cells.map((row) => row[column]!.length)),
  );
  const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(HEAD), rule, ...cells.map(line)].join('\n');
}

function cellsOf(row: Row): string[] {
  const { what, ratio, count, budget, note } = row;
  const within = isWithinBudget(row);
  return [
    what,
    ratio ? times(ratio.median) : String(count),
    ratio ? range(ratio.interval) : '',
    ratio ? range(ratio.quartiles) : '',
    budget === undefined ? '' : ratio ? `<= ${budget}x` : `<= ${budget}`,
    within === undefined ? '' : within ? 'yes' : 'NO',
    note,
  ];
}

function range([low, high]: readonly [number, number]): string {
  return `${times(low)} to ${times(high)}`;
}

function times(ratio: number): string {
  return `${ratio.toFixed(ratio < 10 ? 3 : 1)}x`;
}
