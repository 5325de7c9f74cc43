import { readFileSync } from 'node:fs';

const source = readFileSync(new URL('../../native/entries.c', import.meta.url), 'utf8');

/** The arguments of a kernel in their order, as the table of entries has them. */
export function argumentsOf(kernel: string): readonly string[] {
  const found = NAMES.get(kernel);
  if (!found) throw new Error(`There is no entry for ${kernel}.`);
  return found;
}

const MACROS = new Map(
  [...source.matchAll(/#define (\w+) "([^"]*)"/g)].map(([, name, text]) => [name!, text!]),
);

const NAMES = new Map(
  [...source.matchAll(/^ {2}\{"(\w+)", (.*), entry_\w+\},$/gm)].map(([, name, text]) => {
    const whole = text!.replace(/"([^"]*)"|(\w+)/g, (_, quoted?: string, macro?: string) =>
      macro ? MACROS.get(macro)! : quoted!,
    );
    return [name!, whole.split(/\s+/).filter(Boolean)] as const;
  }),
);
