import * as tf from '@tensorflow/tfjs-core';
import { checkGradients, type GradientCase } from './gradient-check.js';

const SIZES: Record<string, number> = { a: 2, b: 3, c: 2, h: 2, i: 2, j: 3, k: 4, q: 3 };

const equations = [
  'ij,jk->ik',
  'ij,kj->ki',
  'bij,bjk->bik',
  'ij->ji',
  'ij->i',
  'ij->',
  'i,i->',
  'ij,ij->',
  'i,j->ij',
  'abc,ck->abk',
  'ijk, kj -> i',
  'bqhi,bkhi->bhqk',
];

checkGradients(
  'einsum',
  equations.map(
    (equation): GradientCase => ({
      name: equation,
      compute: (...operands) => tf.einsum(equation, ...operands),
      operands: equation
        .split('->')[0]!
        .split(',')
        .map((labels) => [...labels.trim()].map((label) => SIZES[label]!)),
      stock: /gradient function not found for Einsum/,
      backends: ['cpu'], // wasm has no Einsum
    }),
  ),
);
