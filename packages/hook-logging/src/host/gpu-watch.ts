import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Metrics } from '@hookline/hook-api';

const PERIOD_MS = 10_000;
const TIMEOUT_MS = 5_000;
const COMMAND = 'nvidia-smi';
const QUERY = ['--query-gpu=index,utilization.gpu,memory.used', '--format=csv,noheader,nounits'];

/** Use and memory of the graphics cards, asked of nvidia-smi in the background and seldom; nothing without a card. */
export class GpuWatch {
  #latest: Metrics = {};
  #next = 0;

  /** The latest answer. */
  latest(): Metrics {
    const now = performance.now();
    if (now >= this.#next) {
      this.#next = now + PERIOD_MS;
      this.#ask();
    }
    return this.#latest;
  }

  #ask(): void {
    // Trying to start a program that does not exist costs a large process milliseconds of its training.
    if (!isInstalled()) {
      this.#next = Number.POSITIVE_INFINITY;
      return;
    }
    const child = execFile(COMMAND, QUERY, { timeout: TIMEOUT_MS }, (error, answer) => {
      // Without a card or an answer now, there will be none later.
      if (error) this.#next = Number.POSITIVE_INFINITY;
      this.#latest = error ? {} : parse(answer);
    });
    // The run does not wait for it.
    child.unref();
    for (const pipe of [child.stdout, child.stderr]) (pipe as { unref?(): void } | null)?.unref?.();
  }
}

function isInstalled(): boolean {
  const folders = process.env.PATH?.split(delimiter) ?? [];
  return folders.some((folder) => [COMMAND, `${COMMAND}.exe`].some((file) => existsSync(join(folder, file))));
}

/** A line is `0, 45, 1024`: index, percent, MiB. A card that does not know says `[N/A]`. */
function parse(answer: string): Metrics {
  const metrics: Record<string, number> = {};
  for (const line of answer.trim().split('\n')) {
    const [index, utilization, used] = line.split(',').map((field) => field.trim());
    for (const [name, field] of [
      ['utilization', utilization],
      ['memory-mib', used],
    ] as const) {
      if (field !== undefined && /^\d+$/.test(field)) metrics[`gpu/${index}/${name}`] = Number(field);
    }
  }
  return metrics;
}
