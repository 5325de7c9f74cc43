/** A place in the training data, for people: text counts epochs and batches from 1, where events count from 0. */
export function placeText(epoch: number, batchIndex: number): string {
  return `epoch ${epoch + 1}, batch ${batchIndex + 1}`;
}
