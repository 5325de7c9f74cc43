/** Images of 8 x 8 pixels from 0 to 1, row after row, and the digit that each shows. */
export interface Images {
  xs: Float32Array;
  ys: Int32Array;
}

export interface Digits {
  train: Images;
  validation: Images;
  test: Images;
}

const PIXELS = 64;
const BRIGHTEST = 16;

/**
 * The split goes by line number and is the same every time: of each seven lines the first is for the test, the
 * second for validation, the rest for training. The file counts 0, 1, ... 9 over long stretches, and seven does not
 * divide ten, so that every part gets all digits. People who wrote digits are in all three parts.
 */
export function splitDigits(csv: string): Digits {
  const rows = csv
    .trim()
    .split('\n')
    .map((line) => line.split(',').map(Number));
  return {
    test: imagesOf(rows.filter((_, line) => line % 7 === 0)),
    validation: imagesOf(rows.filter((_, line) => line % 7 === 1)),
    train: imagesOf(rows.filter((_, line) => line % 7 > 1)),
  };
}

/** A row is 64 pixels from 0 to 16, then the digit. */
function imagesOf(rows: number[][]): Images {
  return {
    xs: Float32Array.from(rows.flatMap((row) => row.slice(0, PIXELS).map((pixel) => pixel / BRIGHTEST))),
    ys: Int32Array.from(rows.map((row) => row[PIXELS]!)),
  };
}
