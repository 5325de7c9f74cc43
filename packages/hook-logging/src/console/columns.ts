/** Keeps what stands in one column of several lines below each other, as far as widths so far can tell. */
export class Columns {
  readonly #widths = new Map<string, number>();

  /** The text, filled up on the left to the widest that this column has had. */
  align(column: string, text: string, least = 0): string {
    const width = Math.max(this.#widths.get(column) ?? least, text.length);
    this.#widths.set(column, width);
    return text.padStart(width);
  }
}
