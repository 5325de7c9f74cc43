import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-backend-wasm';
import '@tensorflow/tfjs-layers';
import * as tf from '@tensorflow/tfjs-core';
import { TRAINING_KERNELS } from '../src/kernels/training-kernels.js';

const README = fileURLToPath(new URL('../README.md', import.meta.url));
const [BEGIN, END] = ['<!-- kernels -->', '<!-- /kernels -->'];

/** Kernels that have no gradient in tfjs itself, but that gradients call, or that the trainer has a gradient for. */
const MORE = [
  ...[
    'AvgPool3DGrad',
    'AvgPoolGrad',
    'Conv2DBackpropFilter',
    'Conv3DBackpropFilterV2',
    'Conv3DBackpropInputV2',
  ],
  ...[
    'DepthwiseConv2dNativeBackpropFilter',
    'DepthwiseConv2dNativeBackpropInput',
    'Dilation2DBackpropFilter',
  ],
  ...['Dilation2DBackpropInput', 'EluGrad', 'LRNGrad', 'MaxPool3DGrad', 'MaxPoolGrad', 'ResizeBilinearGrad'],
  ...[
    'ResizeNearestNeighborGrad',
    'FusedConv2D',
    'FusedDepthwiseConv2D',
    '_FusedMatMul',
    'Equal',
    'Greater',
    'Less',
  ],
  ...[
    'LessEqual',
    'NotEqual',
    'LogicalAnd',
    'LogicalNot',
    'Fill',
    'Range',
    'Cumprod',
    'DepthToSpace',
    'Diag',
    'Einsum',
  ],
  ...['FlipLeftRight', 'GatherNd', 'MaxPoolWithArgmax', 'ScatterNd', 'SparseToDense', 'StridedSlice'],
  ...['TensorScatterUpdate', 'TopK', 'All', 'Any'],
];

const MEANING = {
  added: 'missing in tfjs for wasm',
  corrected: 'wrong in tfjs, at least in some cases',
  fast: 'right in tfjs, but slow',
  stock: 'that of tfjs, unchanged',
} as const;

/** Every kernel that training can reach, by what this package does about it. */
export function reachableKernels(): Record<keyof typeof MEANING, string[]> {
  const names = tf.getKernelsForBackend('cpu').map(({ kernelName }) => kernelName);
  const reachable = names.filter((name) => tf.getGradient(name) || MORE.includes(name)).sort();
  const states = new Map(TRAINING_KERNELS.map(({ name, state }) => [name, state]));
  const byState: Record<keyof typeof MEANING, string[]> = { added: [], corrected: [], fast: [], stock: [] };
  for (const name of reachable) byState[states.get(name) ?? 'stock'].push(name);
  return byState;
}

function kernelTable(): string {
  const rows = Object.entries(reachableKernels()).map(
    ([state, names]) =>
      `| ${state} (${names.length}) | ${MEANING[state as keyof typeof MEANING]} | ${names.join(', ')} |`,
  );
  return ['| state | meaning | kernels |', '| --- | --- | --- |', ...rows].join('\n');
}

/** The README with the table as it is now. */
export function readmeWithTable(): string {
  const text = readFileSync(README, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin)
    throw new Error(`README.md does not have the marks between which the table goes: ${BEGIN} ... ${END}`);
  return `${text.slice(0, begin + BEGIN.length)}\n${kernelTable()}\n${text.slice(end)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(README, readmeWithTable());
