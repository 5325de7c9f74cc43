/** The numbers of a row: features, labels, weight. */
export type RowValues = Float64Array;

/** What a column of the file becomes. */
export interface ColumnUse {
  /** The place among the numbers of a row. */
  readonly place: number;
  /** Class numbers by text, where its cells are not numbers. */
  readonly numbers: ReadonlyMap<string, number> | undefined;
}

const [QUOTE, LF, CR, MINUS, DOT, ZERO, NINE] = [0x22, 0x0a, 0x0d, 0x2d, 0x2e, 0x30, 0x39];

/** Up to this many digits a number is exact, and so are the powers of ten: their quotient is what `Number` gives. */
const MOST_DIGITS = 15;
const POWERS: readonly number[] = Array.from({ length: MOST_DIGITS + 1 }, (_, power) => 10 ** power);

/**
 * Reads rows of plain numbers in one go over the text, without a string for each cell. Whatever is not plain (a quoted
 * cell, an empty line, a mistake) it leaves to the parser, which knows all of CSV.
 */
export class NumberRows {
  /** Where the row that was read last ends: behind its line break. */
  end = 0;
  readonly #delimiter: number;
  readonly #uses: readonly (ColumnUse | undefined)[];
  readonly #size: number;
  readonly #missing: number | undefined;

  /** @param uses For each column of the file, undefined where it is not used. */
  constructor(
    delimiter: string,
    uses: readonly (ColumnUse | undefined)[],
    size: number,
    missing: number | undefined,
  ) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#uses = uses;
    this.#size = size;
    this.#missing = missing;
  }

  /** The row that starts at `from`, or undefined where the parser has to read it. */
  read(text: string, from: number): RowValues | undefined {
    const values = new Float64Array(this.#size);
    const last = this.#uses.length - 1;
    let at = from;
    for (let column = 0; column <= last; column++) {
      const use = this.#uses[column];
      const start = at;
      let negative = false;
      let digits = 0;
      let places = -1;
      let value = 0;
      let code = text.charCodeAt(at);
      if (code === MINUS) {
        negative = true;
        code = text.charCodeAt(++at);
      }
      for (; ; code = text.charCodeAt(++at)) {
        if (code >= ZERO && code <= NINE) {
          value = value * 10 + (code - ZERO);
          digits++;
        } else if (code === DOT && places < 0) places = digits;
        else break;
      }
      // The end of the text is NaN, which no cell ends with.
      let isPlain = digits > 0 && digits <= MOST_DIGITS;
      while (code !== this.#delimiter && code !== LF && code !== CR) {
        if (code === QUOTE || at >= text.length) return undefined;
        isPlain = false;
        code = text.charCodeAt(++at);
      }
      if (column < last !== (code === this.#delimiter)) return undefined;
      if (use) {
        if (!isPlain || use.numbers) {
          const found = this.#valueOf(text.slice(start, at), use);
          if (found === undefined) return undefined;
          values[use.place] = found;
        } else {
          if (places >= 0) value /= POWERS[digits - places]!;
          values[use.place] = negative ? -value : value;
        }
      }
      if (code === CR && text.charCodeAt(++at) !== LF) return undefined;
      at++;
    }
    // A line with nothing on it is not a row.
    if (at <= from + 1 || text.charCodeAt(from) === CR) return undefined;
    this.end = at;
    return values;
  }

  #valueOf(cell: string, { numbers }: ColumnUse): number | undefined {
    const trimmed = cell.trim();
    if (numbers) return numbers.get(trimmed);
    if (trimmed === '') return this.#missing;
    const value = Number(trimmed);
    return Number.isFinite(value) ? value : undefined;
  }
}
