import { printable } from '#host';

/** One hook in a list for the terminal. */
export interface HookRow {
  name: string;
  /** Its package with version, or `your code`. */
  from: string;
  /** `broken`: its package is fine as far as it can be read, but the hook cannot be loaded. */
  status: 'on' | 'off' | 'rejected' | 'broken';
  /** Empty when they are not known. */
  kinds: readonly string[];
  /** Each on a line below: why it is off, what it is an instance of. */
  notes: readonly string[];
}

/** A line for each hook, in columns, and its notes below it. */
export function hookTable(given: readonly HookRow[]): string[] {
  const rows = printable(given);
  const widest = (cell: (row: HookRow) => string) => Math.max(0, ...rows.map((row) => cell(row).length));
  const [names, places] = [widest(({ name }) => name), widest(({ from }) => from)];
  const states = widest(({ status }) => status);
  return rows.flatMap(({ name, from, status, kinds, notes }) => {
    const cells = [name.padEnd(names), from.padEnd(places), status.padEnd(states), kinds.join(', ')];
    return [`  ${cells.join('  ').trimEnd()}`, ...notes.map((note) => `      ${note}`)];
  });
}
