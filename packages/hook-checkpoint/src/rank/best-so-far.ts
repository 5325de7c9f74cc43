import type { JsonValue } from '@hookline/hook-api';
import { dirname, relative, resolve } from '@hookline/host';
import { type Entry, readEntry } from '../folder/checkpoint-folder.js';
import { type RankingRule, type Rated, type Rating, ranked, ratingBy } from './ranking.js';

interface Best {
  /** Relative to the folder of checkpoints: moved together, it stays right. */
  readonly path: string;
  readonly rating: Rating;
}

/** The best checkpoint by each metric: saved with the run, so that one that resumes elsewhere ranks against them. */
export class BestSoFar {
  #bests: readonly Best[] = [];

  /** What is best of all there are in `dir`, and of the one that is about to be saved. */
  note(
    dir: string,
    entries: readonly (Rated & { readonly path: string })[],
    rules: readonly RankingRule[],
  ): void {
    this.#bests = rules.flatMap((rule) => {
      const [best] = ranked(entries, rule);
      return best ? [{ path: relative(dir, best.path), rating: ratingBy(rule, best)! }] : [];
    });
  }

  save(): JsonValue {
    return this.#bests.map(({ path, rating }) => ({ path, rating: { ...rating } }));
  }

  /** Whether it is what was saved. Before there could be several metrics, that was one object or null. */
  load(saved: unknown): boolean {
    const bests: unknown[] = [saved ?? []].flat();
    if (!bests.every(isBest)) return false;
    this.#bests = bests;
    return true;
  }

  /**
   * Those that lie outside `dir`, to which the run saves now. They are looked for in the folders that an earlier run
   * may have saved to; one that is gone or damaged is left out.
   */
  async outside(dir: string, folders: readonly string[]): Promise<Entry[]> {
    const found = new Map<string, Entry>();
    for (const best of this.#bests) {
      const entry = await entryOf(best, dir, folders);
      if (entry) found.set(entry.path, entry);
    }
    return [...found.values()];
  }
}

function isBest(saved: unknown): saved is Best {
  const { path, rating } = Object(saved) as Partial<Best>;
  return typeof path === 'string' && typeof Object(rating).monitor === 'string';
}

async function entryOf(
  { path, rating }: Best,
  dir: string,
  folders: readonly string[],
): Promise<Entry | undefined> {
  for (const folder of folders) {
    const place = resolve(folder, path);
    if (dirname(place) === dir) return undefined;
    const entry = await readEntry(place).catch(() => undefined);
    // Two hooks may have given the same name to checkpoints in their folders.
    if (entry?.ratings.some(({ monitor, value }) => monitor === rating.monitor && value === rating.value)) {
      return entry;
    }
  }
  return undefined;
}
