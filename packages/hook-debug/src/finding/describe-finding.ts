import { placeText } from '@hookline/hook-api/helpers';
import { describeValues, type NonFiniteValues } from '../check/non-finite-values.js';
import { type Finding, firstParameter } from './finding.js';

/** What and where, in a few words. */
export function headline(finding: Finding): string {
  const { epoch, batchIndex, loaderName, step, loss, gradients, layer } = finding;
  const where = `${placeText(epoch, batchIndex)} of loader "${loaderName}" (step ${step})`;
  if (loss !== undefined) return `the loss is ${loss} at ${where}`;
  if (gradients.length > 0) return `gradients are not finite at ${where}`;
  if (layer) return `the output of layer ${layer.path} is not finite at ${where}`;
  return `weights that are not trained are not finite after ${where}`;
}

/** The headline, then one sentence for each thing that is known about the origin. */
export function describeFinding(finding: Finding): string {
  const { batch, weights, buffers } = finding;
  const head = headline(finding);
  const sentences = [
    `${head.charAt(0).toUpperCase()}${head.slice(1)}.`,
    batch.length > 0 && `The batch already contains it: ${list(batch)}.`,
    weights.length > 0 &&
      `Weights were already bad before this batch, because of an earlier update: ${list(weights)}.`,
    layerSentence(finding),
    gradientsSentence(finding),
    buffers.length > 0 && `The forward pass broke weights that are not trained: ${list(buffers)}.`,
  ];
  return sentences.filter(Boolean).join(' ');
}

/** Fields for logs that programs read. */
export function fieldsOf(finding: Finding): Record<string, unknown> {
  const { epoch, batchIndex, loaderName, step, layer } = finding;
  const parameter = firstParameter(finding);
  return {
    epoch,
    batch: batchIndex,
    loader: loaderName,
    step,
    ...(layer && { layer: layer.path }),
    ...(parameter !== undefined && { parameter }),
  };
}

function layerSentence({ layer, layerProblem, loss, batch, weights }: Finding): string | false {
  if (layerProblem !== undefined) {
    return `The first bad layer is not known, because the batch could not be run again (${layerProblem}).`;
  }
  if (layer) {
    const use = layer.callIndex > 0 ? ` (use ${layer.callIndex + 1} in the pass)` : '';
    const values = layer.output ? `: ${describeValues(layer.output)}` : '';
    const innocent = batch.length + weights.length === 0 ? ', from finite input and weights' : '';
    return `The first layer with a bad output is ${layer.path}${use}${values}${innocent}.`;
  }
  if (loss === undefined || batch.length + weights.length > 0) return false;
  return 'When the batch was run again, every layer had finite outputs: look at the loss function, or at layers that draw random numbers.';
}

function gradientsSentence({ loss, gradients }: Finding): string | false {
  if (gradients.length === 0) return false;
  const reached = gradients.at(-1)!.path;
  // With a bad loss all of them are bad, and say nothing about where it came from.
  if (loss === undefined) return `Gradients: ${list(gradients)}; the backward pass reached ${reached} first.`;
  return gradients.length === 1
    ? `It spread to the gradient of ${reached}.`
    : `It spread to ${gradients.length} gradients, first to that of ${reached}.`;
}

/** A message names the first few. */
const MOST_NAMED = 4;

function list(items: readonly NonFiniteValues[]): string {
  const named = items.slice(0, MOST_NAMED).map((item) => `${item.path} (${describeValues(item)})`);
  const rest = items.length - named.length;
  return named.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
