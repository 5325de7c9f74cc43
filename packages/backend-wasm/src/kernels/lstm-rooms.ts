/** Sequences computed at a time, and extra columns of a packed matrix: as in assembly/recurrent.ts. */
const BAND = 12;
const PADDING = 8;

/** The floats that an LSTM needs beside its operands. Each thread that computes a part of it has its own. */
export function lstmRooms(units: number): { inner: number; packed: number; packedBack: number } {
  return {
    inner: BAND * 4 * units,
    packed: units * (4 * units + PADDING),
    packedBack: 4 * units * (units + PADDING),
  };
}
