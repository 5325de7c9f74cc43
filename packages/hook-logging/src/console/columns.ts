/** Lines up the columns of several lines, as far as the widths so far can tell. */
export class Columns {
  readonly #widths = new Map<string, number>();

  /** The text, padded on the left to the widest that this column has had. */
  align(column: string, text: string, least = 0): string {
    const width = Math.max(this.#widths.get(column) ?? least, text.length);
    this.#widths.set(column, width);
    return text.padStart(width);
  }
}
