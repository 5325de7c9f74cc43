import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { HookNames } from './hook-names.js';

export interface Filling extends HookNames {
  author: string;
  year: number;
}

/** The files of the package by path. The template is itself a hook that works, "my-hook"; its names are replaced. */
export function readTemplate(template: string, filling: Filling): Map<string, string> {
  const files = readdirSync(template, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const path = relative(template, file).replaceAll('\\', '/');
      return [nameOf(path, filling), fill(readFileSync(file, 'utf8'), filling)];
    }),
  );
}

/** npm leaves a file named .gitignore out of what it packs, and a package.json belongs to the package that it is in. */
function nameOf(path: string, filling: Filling): string {
  return fill(path, filling)
    .replace(/^gitignore$/, '.gitignore')
    .replace(/^_package/, 'package');
}

function fill(text: string, { package: name, hook, factory, type, author, year }: Filling): string {
  const words: Record<string, string> = {
    'trainer-hook-my-hook': name,
    'my-hook': hook,
    myHook: factory,
    MyHook: type,
    'THE AUTHOR': author || `the authors of ${name}`,
    '"author": ""': `"author": ${JSON.stringify(author)}`,
    'THE YEAR': String(year),
  };
  return text.replace(
    /trainer-hook-my-hook|my-hook|myHook|MyHook|THE AUTHOR|THE YEAR|"author": ""/g,
    (word) => words[word]!,
  );
}
