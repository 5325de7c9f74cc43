/** Dots of a braille character, by row and column, as bits. */
const DOTS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;
const EMPTY = 0x2800;

/** A curve as lines of braille characters: two points across and four up for each. Values that are not finite are gaps. */
export function brailleCurve(values: readonly number[], width: number, height: number): string[] {
  const finite = values.filter(Number.isFinite);
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const cells = Array.from({ length: height }, () => new Array<number>(width).fill(EMPTY));
  const rowOf = (value: number) => Math.round(((high - value) / (high - low || 1)) * (height * 4 - 1));
  let before: number | undefined;
  for (let column = 0; column < width * 2; column++) {
    const value = valueAt(values, column / Math.max(width * 2 - 1, 1));
    if (!Number.isFinite(value)) {
      before = undefined;
      continue;
    }
    const row = rowOf(value);
    // A steep stretch stays one line.
    const from = before === undefined ? row : before < row ? before + 1 : before > row ? before - 1 : row;
    for (let at = Math.min(from, row); at <= Math.max(from, row); at++) {
      cells[Math.floor(at / 4)]![Math.floor(column / 2)]! |= DOTS[at % 4]![column % 2]!;
    }
    before = row;
  }
  return cells.map((line) => String.fromCodePoint(...line));
}

/** Between two points that are there; a gap where one of them is not. */
function valueAt(values: readonly number[], share: number): number {
  const place = share * (values.length - 1);
  const [left, right] = [values[Math.floor(place)]!, values[Math.ceil(place)]!];
  return left + (right - left) * (place - Math.floor(place));
}
