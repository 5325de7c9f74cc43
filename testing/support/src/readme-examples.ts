import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface ReadmeExample {
  /** The heading it is under. */
  title: string;
  code: string;
  /** What the README says that it prints. */
  output: string;
}

/** The `js` blocks of a package's README. Each must have its output after it, under "It prints:". */
export function readmeExamples(folder: string): ReadmeExample[] {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const found = readme.matchAll(
    /^#{2,3} ([^\n]+)\n(?:(?!^#)[\s\S])*?```js\n([\s\S]*?)```\n\nIt prints:\n\n```\n([\s\S]*?)```/gm,
  );
  const examples = [...found].map(([, title, code, output]) => ({
    title: title!,
    code: code!,
    output: output!,
  }));
  const blocks = readme.match(/```js/g)?.length ?? 0;
  if (examples.length === blocks) return examples;
  throw new Error(`${blocks - examples.length} of ${blocks} examples in ${folder}/README.md have no output.`);
}

/** Runs an example in a separate process, with the sources of the packages, and gives what it prints. */
export async function runExample(code: string, folder: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@hookline/source', '--import', 'tsx', '--input-type=module', '--eval', code],
    { cwd: folder },
  );
  return stdout;
}
