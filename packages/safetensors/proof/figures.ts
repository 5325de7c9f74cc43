import { vi } from 'vitest';

/** Far more trials than CI needs. */
export const isLong = process.env.HOOKLINE_LONG_PROOF !== undefined;

if (isLong) vi.setConfig({ testTimeout: 7_200_000 });

interface Figure {
  what: string;
  trials: number;
  outcome: string;
}

/** Collects what the proofs count, and prints it as a table in the end. */
export class Figures {
  readonly #rows: Figure[] = [];

  add(what: string, trials: number, outcome: string): void {
    this.#rows.push({ what, trials, outcome });
  }

  print(): void {
    const rows = this.#rows.map(({ what, trials, outcome }) => `| ${what} | ${trials} | ${outcome} |`);
    console.log(['', '| what happens | trials | outcome |', '|---|---|---|', ...rows, ''].join('\n'));
  }
}
