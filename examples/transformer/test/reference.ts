import type { TransformerOptions } from '../src/model/transformer.js';

export type Weights = Record<string, number[]>;
type Rows = number[][];

/** The transformer again, for one sequence, with plain loops and double precision. */
export function referenceLogits(
  weights: Weights,
  options: TransformerOptions,
  letters: readonly number[],
): Rows {
  const { width, letters: count, headSize, hidden, slopes, blocks } = options;
  const matrix = (path: string, columns: number) => chunks(weights[path]!, columns);
  let stream = letters.map((letter) => matrix('embed/letters', width)[letter]!);
  for (let block = 0; block < blocks; block++) {
    const path = `blocks/${block}`;
    const seen = normed(stream, weights, `${path}/attention/norm`);
    const outputs = slopes.map((_, head) => {
      const of = (name: string) =>
        multiplied(seen, matrix(`${path}/attention/head_${head}/${name}`, headSize));
      const reach = weights[`${path}/attention/head_${head}/reach`]!;
      const mixed = attended(of('query'), of('key'), of('value'), reach);
      return multiplied(mixed, matrix(`${path}/attention/head_${head}/output`, width));
    });
    stream = outputs.reduce(added, stream);
    const into = multiplied(normed(stream, weights, `${path}/mlp/norm`), matrix(`${path}/mlp/into`, hidden));
    const active = into.map((row) =>
      row.map((value, unit) => Math.max(value + weights[`${path}/mlp/bias`]![unit]!, 0)),
    );
    stream = added(stream, multiplied(active, matrix(`${path}/mlp/back`, width)));
  }
  return multiplied(normed(stream, weights, 'unembed/norm'), matrix('unembed/letters', count));
}

/** The mean cross-entropy where the target is not -1. */
export function referenceLoss(logits: Rows, targets: readonly number[]): number {
  const costs = targets.flatMap((target, position) => {
    if (target < 0) return [];
    const total = logits[position]!.reduce((sum, logit) => sum + Math.exp(logit), 0);
    return [Math.log(total) - logits[position]![target]!];
  });
  return costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
}

function attended(queries: Rows, keys: Rows, values: Rows, reach: readonly number[]): Rows {
  return queries.map((query, to) => {
    const scores = keys
      .slice(0, to + 1)
      .map((key, from) => dot(query, key) / Math.sqrt(query.length) + reach[to - from]!);
    const total = scores.reduce((sum, score) => sum + Math.exp(score), 0);
    const shares = scores.map((score) => Math.exp(score) / total);
    return query.map((_, unit) => shares.reduce((sum, share, from) => sum + share * values[from]![unit]!, 0));
  });
}

function normed(rows: Rows, weights: Weights, path: string): Rows {
  return rows.map((row) => {
    const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
    const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length;
    return row.map(
      (value, unit) =>
        ((value - mean) / Math.sqrt(variance + 1e-5)) * weights[`${path}/scale`]![unit]! +
        weights[`${path}/shift`]![unit]!,
    );
  });
}

function multiplied(rows: Rows, matrix: Rows): Rows {
  return rows.map((row) =>
    matrix[0]!.map((_, column) =>
      row.reduce((sum, value, inner) => sum + value * matrix[inner]![column]!, 0),
    ),
  );
}

function added(a: Rows, b: Rows): Rows {
  return a.map((row, index) => row.map((value, unit) => value + b[index]![unit]!));
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, index) => sum + value * b[index]!, 0);
}

function chunks(numbers: readonly number[], size: number): Rows {
  return Array.from({ length: numbers.length / size }, (_, row) =>
    numbers.slice(row * size, (row + 1) * size),
  );
}
