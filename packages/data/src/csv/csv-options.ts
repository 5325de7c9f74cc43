import { checkKeys, type ForeignNames } from '@hookline/hook-api/helpers';
import { dataError } from '../errors.js';

export interface CsvOptions {
  /** The columns that are the targets (ys), in this order. */
  labels?: string | readonly string[];
  /** The columns that are the inputs (xs), in this order; by default all others. */
  features?: readonly string[];
  /** The column of the sample weights. */
  weights?: string;
  /** `true` (default): the first row has the names. `false`: they are '0', '1' and so on. A list: these are the names. */
  header?: boolean | readonly string[];
  /** One character; default a comma. */
  delimiter?: string;
  /** The values of columns of text: each value becomes its place in the list. */
  classes?: Readonly<Record<string, readonly string[]>>;
  /** The number that an empty cell stands for; without it an empty cell is an error. */
  missing?: number;
  /** The type of the features; default `float32`. */
  dtype?: 'float32' | 'int32';
  /** The type of the labels; default `float32`. */
  labelDtype?: 'float32' | 'int32';
}

const KEYS: readonly (keyof CsvOptions)[] = [
  'labels',
  'features',
  'weights',
  'header',
  'delimiter',
  'classes',
  'missing',
  'dtype',
  'labelDtype',
];

/** What people write who know pandas, tf.data or Keras. */
const FOREIGN: ForeignNames = {
  target: 'Did you mean "labels"?',
  targets: 'Did you mean "labels"?',
  labelName: 'Did you mean "labels"?',
  y: 'Did you mean "labels"?',
  columns: 'Did you mean "features"?',
  columnNames: 'Did you mean header: [...]?',
  names: 'Did you mean header: [...]?',
  usecols: 'Did you mean "features"?',
  sep: 'Did you mean "delimiter"?',
  separator: 'Did you mean "delimiter"?',
  fieldDelim: 'Did you mean "delimiter"?',
  naValue: 'Did you mean "missing"?',
  batchSize: 'It belongs to fit(): trainer.fit({ batchSize: 32 }).',
};

export function checkCsvOptions(options: CsvOptions): void {
  checkKeys(options, KEYS, 'csv()', FOREIGN);
  const { delimiter = ',' } = options;
  if (delimiter.length !== 1 || '"\r\n'.includes(delimiter)) {
    throw dataError(
      'BAD_OPTIONS',
      `csv(): delimiter is ${JSON.stringify(delimiter)}, expected one character that is neither a quote nor a line break.`,
    );
  }
  for (const key of ['dtype', 'labelDtype'] as const) {
    const type = options[key];
    if (type === undefined || type === 'float32' || type === 'int32') continue;
    throw dataError('BAD_OPTIONS', `csv(): ${key} is "${type}", expected "float32" or "int32".`);
  }
}
