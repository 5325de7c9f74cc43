import { didYouMean, type HooklineError } from '@hookline/hook-api';
import { dataError } from '../errors.js';
import { FlatColumn } from '../table/columns.js';
import type { Table } from '../table/table.js';
import type { CsvOptions } from './csv-options.js';
import type { CsvRow } from './csv-parser.js';
import { NumberRows, type RowValues } from './number-rows.js';

/** Which columns of a CSV file are used for what, and how their cells become numbers. */
export class CsvColumns {
  readonly #file: string;
  readonly #options: CsvOptions;
  readonly #columns: readonly CsvColumn[];
  readonly #features: number;
  readonly #labels: number;
  readonly #width: number;

  constructor(file: string, names: readonly string[], options: CsvOptions) {
    this.#file = file;
    this.#options = options;
    this.#width = names.length;
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw this.#error(1, `two columns are called "${twice}".`);
    const labels = [options.labels ?? []].flat();
    const others = [...labels, ...(options.weights === undefined ? [] : [options.weights])];
    const features = options.features ?? names.filter((name) => !others.includes(name));
    for (const name of Object.keys(options.classes ?? {})) this.#indexOf(name, names);
    this.#columns = [...features, ...others].map((name) => this.#column(name, names));
    this.#features = features.length;
    this.#labels = labels.length;
    if (features.length === 0)
      throw this.#error(1, 'no column is left for the features: every column is a label or a weight.');
  }

  valuesOf({ line, cells }: CsvRow): RowValues {
    if (cells.length !== this.#width) {
      throw this.#error(
        line,
        `the row has ${cells.length} cells, expected ${this.#width} (one for each column).`,
      );
    }
    return Float64Array.from(this.#columns, (column) => this.#number(cells[column.index]!, column, line));
  }

  /** Reads plain rows directly from the text; undefined where a column is used twice, or numbers hold delimiters. */
  numberRows(delimiter: string): NumberRows | undefined {
    if (/[-.\d]/.test(delimiter)) return undefined;
    const uses: { place: number; numbers: CsvColumn['numbers'] }[] = [];
    for (const [place, { index, numbers }] of this.#columns.entries()) {
      if (uses[index]) return undefined;
      uses[index] = { place, numbers };
    }
    const all = Array.from({ length: this.#width }, (_, index) => uses[index]);
    return new NumberRows(delimiter, all, this.#columns.length, this.#options.missing);
  }

  /** A batch of rows: inputs of shape [columns]; a single label is a number. */
  tableOf(rows: readonly RowValues[]): Table {
    const { dtype = 'float32', labelDtype = 'float32', weights } = this.#options;
    const part = (from: number, width: number, type: 'float32' | 'int32', shape: readonly number[]) => {
      const values = new (type === 'int32' ? Int32Array : Float32Array)(rows.length * width);
      // Not by views of each row: making one takes longer than copying a few numbers.
      let at = 0;
      for (const row of rows) for (let i = from; i < from + width; i++) values[at++] = row[i]!;
      return new FlatColumn(values, shape) as never;
    };
    const [features, labels] = [this.#features, this.#labels];
    return {
      xs: part(0, features, dtype, [features]),
      ...(labels > 0 && { ys: part(features, labels, labelDtype, labels === 1 ? [] : [labels]) }),
      ...(weights !== undefined && { weights: part(features + labels, 1, 'float32', []) }),
    };
  }

  #column(name: string, names: readonly string[]): CsvColumn {
    const classes = this.#options.classes?.[name];
    return {
      name,
      index: this.#indexOf(name, names),
      numbers: classes && new Map(classes.map((each, index) => [each, index])),
    };
  }

  #indexOf(name: string, names: readonly string[]): number {
    const index = names.indexOf(name);
    if (index >= 0) return index;
    throw this.#error(
      1,
      `there is no column "${name}".${didYouMean(name, names)} Columns: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', ...' : ''}.`,
    );
  }

  #number(cell: string, { name, numbers }: CsvColumn, line: number): number {
    const text = cell.trim();
    if (numbers) {
      const known = numbers.get(text);
      if (known !== undefined) return known;
      throw this.#error(
        line,
        `${JSON.stringify(cell)} is not one of the classes ${[...numbers.keys()].join(', ')}.`,
        name,
      );
    }
    if (text === '') {
      const { missing } = this.#options;
      if (missing !== undefined) return missing;
      throw this.#error(
        line,
        'the cell is empty. Fill it, or set missing to the number it stands for, such as missing: 0.',
        name,
      );
    }
    const value = Number(text);
    if (Number.isFinite(value)) return value;
    throw this.#error(
      line,
      `${JSON.stringify(cell)} is not a number. Correct it, leave the column out of features, or name its classes: classes: { '${name}': [...] }.`,
      name,
    );
  }

  #error(line: number, what: string, column?: string): HooklineError {
    const where = column === undefined ? '' : `, column "${column}"`;
    return dataError('BAD_DATA', `${this.#file}, line ${line}${where}: ${what}`);
  }
}

interface CsvColumn {
  name: string;
  index: number;
  /** Class numbers by text. */
  numbers: ReadonlyMap<string, number> | undefined;
}
