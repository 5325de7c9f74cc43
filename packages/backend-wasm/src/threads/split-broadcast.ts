import { LINE_FLOATS, type Splitter, shares } from './split.js';

/** binary: the first axis that has more than one element is shared out. */
export const splitBinary: Splitter = {
  cost: { units: [4, 5, 6], nanoseconds: 0.25 },
  split: (args, threads) => {
    const sizes = args.slice(4, 7) as [number, number, number];
    const axis = Math.max(
      0,
      sizes.findIndex((size) => size > 1),
    );
    const [stepA, stepB] = [args[7 + axis]!, args[10 + axis]!];
    const stepOut = axis === 0 ? sizes[1] * sizes[2] : axis === 1 ? sizes[2] : 1;
    const calls = shares(sizes[axis]!, threads, axis === 2 ? LINE_FLOATS : 1).map(({ first, count }) => {
      const call = args.slice();
      call[1]! += first * stepA * 4;
      call[2]! += first * stepB * 4;
      call[3]! += first * stepOut * 4;
      call[4 + axis] = count;
      return call;
    });
    return { name: 'binary', calls };
  },
};
