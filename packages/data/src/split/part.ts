import { permutation } from '../loaders/permutation.js';

/** Some of the samples of a source, chosen once it is known how many there are: the model may have to tell. */
export interface Part {
  /** What decides which samples they are. A place in one part is not a place in another. */
  readonly id: string;
  /** Their numbers, rising, so that data whose order has a meaning keeps it. `loader` is for errors. */
  rows(count: number, loader: string): Int32Array;
}

export interface SplitOptions {
  /** Decides which samples are held back; 0 when absent. */
  seed?: number;
  /** `false`: takes consecutive samples, for data whose order has a meaning, such as a series over time. */
  shuffle?: boolean;
}

/** The places of what is held back, `from` inclusive and `to` exclusive, in the order that the seed gives. */
export type Places = (count: number, loader: string) => readonly [from: number, to: number];

/** What is held back for validation, and all the rest. */
export function partsOf(
  id: string,
  places: Places,
  { seed = 0, shuffle = true }: SplitOptions,
): { train: Part; validation: Part } {
  const whole = shuffle ? `${id}, seed ${seed}` : id;
  const rowsAt = (count: number, ranges: readonly (readonly [number, number])[]) => {
    const order = shuffle ? permutation(count, seed) : (place: number) => place;
    const rows = new Int32Array(ranges.reduce((sum, [from, to]) => sum + to - from, 0));
    let row = 0;
    for (const [from, to] of ranges) for (let place = from; place < to; place++) rows[row++] = order(place);
    return rows.sort();
  };
  return {
    train: {
      id: `without ${whole}`,
      rows: (count, loader) => {
        const [from, to] = places(count, loader);
        return rowsAt(count, [
          [0, from],
          [to, count],
        ]);
      },
    },
    validation: { id: whole, rows: (count, loader) => rowsAt(count, [places(count, loader)]) },
  };
}

/** A source of which only some samples are used. */
export class SourcePart {
  constructor(
    readonly source: unknown,
    readonly part: Part,
  ) {}

  /** A part of `source`, which may be one already. */
  static of(source: unknown, part: Part): SourcePart {
    if (!(source instanceof SourcePart)) return new SourcePart(source, part);
    const { source: whole, part: outer } = source;
    return new SourcePart(whole, {
      id: `${part.id} (${outer.id})`,
      rows: (count, loader) => {
        const all = outer.rows(count, loader);
        return part.rows(all.length, loader).map((row) => all[row]!);
      },
    });
  }
}
