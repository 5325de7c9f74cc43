import { lstmRooms } from '../../src/kernels/lstm-rooms.js';
import type { ExportName } from '../../src/threads/team.js';
import { placed } from './placed.js';
import type { SplitCase } from './split.js';

/** How many threads the rooms are for. */
const THREADS = 3;

function recurrent(time: number, batch: number, units: number, hard: number): SplitCase[] {
  const title = `${time} steps, ${batch} sequences, ${units} units${hard ? ', hard' : ''}`;
  const [state, steps, weights] = [batch * units, time * batch * units, units * units];
  const { inner, packed, packedBack } = lstmRooms(units);
  const make = (
    name: ExportName,
    sizes: readonly number[],
    scratch: readonly number[],
    args = (places: readonly number[]): number[] => [...places, time, batch, units, hard, batch],
  ): SplitCase => ({
    title: `${name}, ${title}`,
    name,
    args: (arena) => args(placed(arena, sizes)),
    scratch: (arena) => scratch.map((which) => [placed(arena, sizes)[which]!, sizes[which]!] as const),
  });
  const m = 9;
  return [
    // biome-ignore format: the order of lstm.
    make('lstm', [4 * steps, 4 * weights, 4 * units, steps + state, steps + state, steps, THREADS * inner, THREADS * packed], [6, 7]),
    // biome-ignore format: the order of lstmGradient.
    make('lstmGradient', [4 * steps, 4 * weights, steps, steps, steps, state, state, 4 * steps, THREADS * packedBack], [8]),
    make('gru', [3 * steps, 2 * weights, weights, steps + state, steps, 2 * state], [5]),
    make(
      'gruGradient',
      [3 * steps, 2 * weights, weights, steps, steps, state, 3 * steps, state, state],
      [7, 8],
    ),
    make(
      'sumOfProducts',
      [time * batch * m, 4 * steps, 4 * m * units, 4 * m * units],
      [3],
      ([a, b, out, spare]) => [a!, m, b!, 4 * units, out!, spare!, time, batch, m, 4 * units],
    ),
  ];
}

function attention(batch: number, heads: number, time: number, keys: number, causal: number): SplitCase[] {
  const [depth, width] = [5, 6];
  const [query, key, value] = [time * heads * depth, keys * heads * depth, keys * heads * width];
  const [out, weights] = [time * heads * width, heads * time * keys];
  const shape = [batch, heads, time, keys, depth, width, 0.4];
  const title = `${batch} x ${heads} heads, ${time} x ${keys}${causal ? ', causal' : ''}`;
  const all = (sizes: readonly number[]) => sizes.map((size) => size * batch);
  const back = [...all([query, key, value, weights, out, query, key, value]), THREADS * time * keys];
  return [
    {
      title: `attention, ${title}`,
      name: 'attention',
      args: (arena) => [...placed(arena, all([query, key, value, out, weights])), ...shape, causal],
    },
    {
      title: `attentionGradient, ${title}`,
      name: 'attentionGradient',
      args: (arena) => [...placed(arena, back), ...shape],
      scratch: (arena) => [[placed(arena, back)[8]!, back[8]!]],
    },
  ];
}

/** What is shared out by sequences. */
export const SEQUENCE_CASES: readonly SplitCase[] = [
  ...recurrent(3, 13, 7, 0),
  ...recurrent(2, 32, 20, 1),
  // Deeper than a block of a product, which a GRU then adds by way of its room.
  ...recurrent(2, 9, 140, 0).filter(({ name }) => name.startsWith('gru')),
  ...attention(5, 2, 6, 9, 0),
  ...attention(4, 3, 8, 8, 1),
];
