const WIDTH = 60;
const HEIGHT = 12;

/** Losses over learning rates as lines of text, with a mark under the suggestion. */
export function plotLosses(
  lrs: readonly number[],
  losses: readonly number[],
  suggestion: number | undefined,
): string {
  if (losses.length === 0)
    return 'The loss was not a finite number at the first step: there is nothing to plot.';
  const low = Math.min(...losses);
  // What explodes in the end is cut off: the fall before it is what matters.
  const high = Math.min(Math.max(...losses), 2 * losses[0]! - low);
  const [first, last] = [lrs[0]!, lrs.at(-1)!];
  const column = (lr: number) => scale(Math.log(lr), Math.log(first), Math.log(last), WIDTH);
  const grid = Array.from({ length: HEIGHT }, () => Array<string>(WIDTH).fill(' '));
  for (const [index, loss] of losses.entries()) {
    grid[HEIGHT - 1 - scale(Math.min(loss, high), low, high, HEIGHT)]![column(lrs[index]!)] = '•';
  }
  const labels = new Map([
    [0, short(high)],
    [HEIGHT - 1, short(low)],
  ]);
  const margin = Math.max(...[...labels.values()].map((label) => label.length));
  const rows = grid.map((row, index) => {
    const label = labels.get(index);
    return `${(label ?? '').padStart(margin)} ${label === undefined ? '│' : '┤'}${row.join('')}`.trimEnd();
  });
  const left = ' '.repeat(margin + 2);
  const [from, to] = [short(first), short(last)];
  return [
    ...rows,
    `${' '.repeat(margin + 1)}└${'─'.repeat(WIDTH)}`,
    `${left}${from}${to.padStart(WIDTH - from.length)}`,
    ...(suggestion === undefined
      ? []
      : [`${left}${' '.repeat(column(suggestion))}^ lr ${short(suggestion)}`]),
  ].join('\n');
}

/** The cell of a value between two others. */
function scale(value: number, low: number, high: number, cells: number): number {
  return high > low ? Math.round(((value - low) / (high - low)) * (cells - 1)) : 0;
}

function short(value: number): string {
  const size = Math.abs(value);
  return size === 0 || (size >= 1e-3 && size < 1e4)
    ? String(Number(value.toPrecision(3)))
    : value.toExponential(1);
}
