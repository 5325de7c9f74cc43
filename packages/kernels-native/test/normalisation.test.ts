import { describe, expect, it } from 'vitest';
import {
  batchNormGradientRows,
  batchNormRows,
  blockSlopes,
  blockSquares,
  blockSums,
  joinBlocks,
  layerNorm,
  layerNormGradientRows,
} from './reference/normalisation.js';
import { type BenchCall, call, kernels } from './support/bench.js';
import { expectBits } from './support/bits.js';
import { floats, specialFloats } from './support/numbers.js';

const WIDTHS = [1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 16, 17, 19, 31, 32, 33];
/** Around the blocks of layer and of batch normalisation. */
const HEIGHTS = [1, 2, 31, 32, 33, 127, 128, 129, 257];
const EPSILON = 1e-3;

/** Every shape at an edge, and then one with numbers of every kind. */
function forEachShape(check: (height: number, width: number, numbers: typeof floats) => void): void {
  for (const width of WIDTHS) check(3, width, floats);
  for (const height of HEIGHTS) check(height, 9, floats);
  check(5, 600, floats);
  check(7, 23, (count, seed) => specialFloats(count, seed, 40));
}

function compare(name: string, given: BenchCall, expected: Readonly<Record<string, Float32Array>>): void {
  const outputs = Object.fromEntries(Object.entries(expected).map(([key, { length }]) => [key, length]));
  const actual = call(name, { ...given, outputs });
  for (const [key, numbers] of Object.entries(expected)) {
    expectBits(actual[key]!, numbers, `${key} for ${JSON.stringify(given.values)}`);
  }
}

const affine = (height: number, width: number, numbers: typeof floats) => ({
  x: numbers(height * width, 1),
  gamma: numbers(width, 2),
  beta: numbers(width, 3),
});

describe.skipIf(!kernels)('layerNorm', () => {
  it('has the right bits: the result, and the mean and the inverse deviation of each row', () => {
    forEachShape((height, width, numbers) => {
      const values = { height, width, epsilon: EPSILON };
      const inputs = affine(height, width, numbers);
      compare('layerNorm', { inputs, values }, layerNorm(inputs, values));
    });
  });

  it('gives rows a mean of 0 and a deviation of 1', () => {
    const [height, width] = [4, 50];
    const x = floats(height * width, 4, 10, 20);
    const inputs = { x, gamma: new Float32Array(width).fill(1), beta: new Float32Array(width) };
    const outputs = { y: height * width, mean: height, inverse: height };
    const { y } = call('layerNorm', { inputs, outputs, values: { height, width, epsilon: 1e-6 } });
    for (let r = 0; r < height; r++) {
      const row = [...y!.subarray(r * width, (r + 1) * width)];
      expect(row.reduce((sum, each) => sum + each, 0) / width).toBeCloseTo(0, 5);
      expect(row.reduce((sum, each) => sum + each * each, 0) / width).toBeCloseTo(1, 4);
    }
  });

  it('divides by no zero where all numbers of a row are the same', () => {
    const inputs = { x: [5, 5, 5, 5, 5], gamma: [1, 1, 1, 1, 1], beta: [1, 2, 3, 4, 5] };
    const outputs = { y: 5, mean: 1, inverse: 1 };
    const { y } = call('layerNorm', { inputs, outputs, values: { height: 1, width: 5, epsilon: EPSILON } });
    expectBits(y!, [1, 2, 3, 4, 5]);
  });
});

describe.skipIf(!kernels)('layerNormGradientRows', () => {
  it('has the right bits: to the input, and of each block to gamma and to beta', () => {
    forEachShape((height, width, numbers) => {
      const inputs = {
        x: numbers(height * width, 4),
        dy: numbers(height * width, 5),
        gamma: numbers(width, 6),
        mean: numbers(height, 7),
        inverse: floats(height, 8, 0.1, 3),
      };
      const values = { height, width };
      compare('layerNormGradientRows', { inputs, values }, layerNormGradientRows(inputs, values));
    });
  });

  it('is the slope of layerNorm', () => {
    const [height, width] = [2, 10];
    const inputs = affine(height, width, floats);
    const values = { height, width, epsilon: EPSILON };
    const dy = floats(height * width, 9);
    const { mean, inverse } = layerNorm(inputs, values);
    const { dx } = call('layerNormGradientRows', {
      inputs: { x: inputs.x, dy, gamma: inputs.gamma, mean, inverse },
      outputs: { dx: height * width, dGammas: width, dBetas: width },
      values: { height, width },
    });
    expectSlopes(dx!, inputs.x, (x) => weighted(layerNorm({ ...inputs, x }, values).y, dy));
  });
});

describe.skipIf(!kernels)('sums of blocks', () => {
  it('have the right bits: of numbers, of squares and of slopes', () => {
    forEachShape((height, width, numbers) => {
      const inputs = { x: numbers(height * width, 1), mean: numbers(width, 2) };
      const values = { height, width };
      compare('blockSums', { inputs: { x: inputs.x }, values }, blockSums(inputs, values));
      compare('blockSquares', { inputs, values }, blockSquares(inputs, values));
      const more = { ...inputs, dy: numbers(height * width, 3), variance: floats(width, 4, 0.1, 3) };
      const settings = { ...values, epsilon: EPSILON };
      compare('blockSlopes', { inputs: more, values: settings }, blockSlopes(more, settings));
    });
  });

  it('are added in their order', () => {
    forEachShape((count, width, numbers) => {
      for (const factor of [1, 1 / 300]) {
        const inputs = { blocks: numbers(count * width, 1) };
        const values = { count, width, factor };
        compare('joinBlocks', { inputs, values }, joinBlocks(inputs, values));
      }
    });
  });
});

/** Batch normalisation as its caller puts it together: mean and variance of the columns, then the rows. */
function batchNorm(inputs: ReturnType<typeof affine>, { epsilon, ...values }: Sizes) {
  const { height, width } = values;
  const { x } = inputs;
  const count = Math.ceil(height / 128);
  const join = (blocks: Float32Array): Float32Array =>
    call('joinBlocks', {
      inputs: { blocks },
      outputs: { out: width },
      values: { count, width, factor: 1 / height },
    }).out!;
  const { sums } = call('blockSums', { inputs: { x }, outputs: { sums: count * width }, values });
  const mean = join(sums!);
  const outputs = { squares: count * width };
  const variance = join(call('blockSquares', { inputs: { x, mean }, outputs, values }).squares!);
  const { y } = call('batchNormRows', {
    inputs: { ...inputs, mean, variance },
    outputs: { y: height * width },
    values: { ...values, epsilon },
  });
  return { mean, variance, y: y! };
}

interface Sizes {
  readonly height: number;
  readonly width: number;
  readonly epsilon: number;
}

describe.skipIf(!kernels)('batchNormRows', () => {
  it('has the right bits', () => {
    forEachShape((height, width, numbers) => {
      const values = { height, width, epsilon: EPSILON };
      const statistics = { mean: numbers(width, 4), variance: floats(width, 5, 0.1, 3) };
      const inputs = { ...affine(height, width, numbers), ...statistics };
      compare('batchNormRows', { inputs, values }, batchNormRows(inputs, values));
    });
  });

  it('gives columns a mean of 0 and a deviation of 1, over more rows than a block', () => {
    const [height, width] = [300, 5];
    const x = floats(height * width, 4, 10, 20);
    const inputs = { x, gamma: new Float32Array(width).fill(1), beta: new Float32Array(width) };
    const { y } = batchNorm(inputs, { height, width, epsilon: 1e-6 });
    for (let c = 0; c < width; c++) {
      const column = [...y].filter((_, i) => i % width === c);
      expect(column.reduce((sum, each) => sum + each, 0) / height).toBeCloseTo(0, 5);
      expect(column.reduce((sum, each) => sum + each * each, 0) / height).toBeCloseTo(1, 4);
    }
  });

  it('of one row is beta', () => {
    const inputs = { x: floats(13, 1), gamma: floats(13, 2), beta: floats(13, 3) };
    const { y, mean, variance } = batchNorm(inputs, { height: 1, width: 13, epsilon: EPSILON });
    expectBits(y, inputs.beta);
    expectBits(mean, inputs.x);
    expectBits(variance, new Float32Array(13));
  });
});

describe.skipIf(!kernels)('batchNormGradientRows', () => {
  it('has the right bits', () => {
    forEachShape((height, width, numbers) => {
      const inputs = {
        x: numbers(height * width, 4),
        dy: numbers(height * width, 5),
        gamma: numbers(width, 6),
        mean: numbers(width, 7),
        variance: floats(width, 8, 0.1, 3),
        dGamma: numbers(width, 9),
        dBeta: numbers(width, 10),
      };
      const values = { height, width, epsilon: EPSILON, share: 1 / 300 };
      compare('batchNormGradientRows', { inputs, values }, batchNormGradientRows(inputs, values));
    });
  });

  it('is the slope of batch normalisation, with the sums of slopes', () => {
    const [height, width] = [6, 5];
    const inputs = affine(height, width, floats);
    const values = { height, width, epsilon: EPSILON };
    const dy = floats(height * width, 9);
    const { mean, variance } = batchNorm(inputs, values);
    const { x, gamma } = inputs;
    const { dGammas, dBetas } = blockSlopes({ x, dy, mean, variance }, values);
    const { dx } = call('batchNormGradientRows', {
      inputs: { x, dy, gamma, mean, variance, dGamma: dGammas, dBeta: dBetas },
      outputs: { dx: height * width },
      values: { ...values, share: 1 / height },
    });
    expectSlopes(dx!, inputs.x, (moved) => weighted(batchNorm({ ...inputs, x: moved }, values).y, dy));
  });
});

const weighted = (y: Float32Array, dy: Float32Array): number =>
  y.reduce((sum, each, i) => sum + each * dy[i]!, 0);

/** Of differences of 32 bits: within a hundredth. */
function expectSlopes(dx: Float32Array, x: Float32Array, loss: (x: Float32Array) => number): void {
  const step = 2 ** -7;
  dx.forEach((slope, i) => {
    const moved = (by: number): number => loss(x.map((each, j) => (j === i ? each + by : each)));
    expect(Math.abs(slope - (moved(step) - moved(-step)) / (2 * step)), `number ${i}`).toBeLessThan(0.01);
  });
}
