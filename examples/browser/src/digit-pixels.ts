const SIDE = 8;
/** The images of the data were bitmaps of 32 x 32; each of their pixels counts the ink in a block of 4 x 4. */
const BLOCK = 4;
const BITMAP = SIDE * BLOCK;

/** How dark each dot of a square drawing is, from 0 to 1, row after row. */
export interface Drawing {
  readonly ink: ArrayLike<number>;
  readonly side: number;
}

/**
 * A drawing as the images of the data were made: the digit fills the height of the image, in its middle. Undefined where
 * nothing was drawn.
 */
export function digitPixels(drawing: Drawing): Float32Array | undefined {
  const box = boxOf(drawing);
  if (!box) return undefined;
  const { ink, side } = drawing;
  const size = Math.max(box.right - box.left, box.bottom - box.top) + 1;
  const left = (box.left + box.right + 1 - size) / 2;
  const top = (box.top + box.bottom + 1 - size) / 2;
  const pixels = new Float32Array(SIDE * SIDE);
  for (let y = 0; y < BITMAP; y++) {
    for (let x = 0; x < BITMAP; x++) {
      const column = Math.floor(left + ((x + 0.5) * size) / BITMAP);
      const row = Math.floor(top + ((y + 0.5) * size) / BITMAP);
      const isInside = column >= 0 && column < side && row >= 0 && row < side;
      if (!isInside || ink[row * side + column]! < 0.5) continue;
      const at = Math.floor(y / BLOCK) * SIDE + Math.floor(x / BLOCK);
      pixels[at] = pixels[at]! + 1 / (BLOCK * BLOCK);
    }
  }
  return pixels;
}

function boxOf({
  ink,
  side,
}: Drawing): { left: number; right: number; top: number; bottom: number } | undefined {
  let [left, right, top, bottom] = [side, -1, side, -1];
  for (let at = 0; at < side * side; at++) {
    if (ink[at]! < 0.5) continue;
    const [column, row] = [at % side, Math.floor(at / side)];
    [left, right] = [Math.min(left, column), Math.max(right, column)];
    [top, bottom] = [Math.min(top, row), Math.max(bottom, row)];
  }
  return right < 0 ? undefined : { left, right, top, bottom };
}
