/** The place of the first value that is neither a class number nor the label to ignore; -1 when all are. */
export function firstOutside(values: ArrayLike<number>, classes: number, ignoreLabel?: number): number {
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!;
    const isClass = value >= 0 && value < classes && Number.isInteger(value);
    if (!isClass && value !== ignoreLabel) return index;
  }
  return -1;
}

export function classRange(classes: number): string {
  return `a whole number from 0 to ${classes - 1}`;
}

export const LABELS_FIX: string = 'Number the labels from 0, or give the last layer one unit for each class.';
