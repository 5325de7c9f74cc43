import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { root } from '../process.mjs';

const TSX = join(root, 'node_modules', 'tsx', 'dist', 'loader.mjs');
const run = promisify(execFile);
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

describe('docs/training.md', () => {
  const examples = examplesIn('docs/training.md', 'ts');
  const hooks = { '@hookline/trainer': '*', '@hookline/hook-api': '*' };
  let outcomes: Promise<Outcome[]> | undefined;

  it('has examples in every part', () => {
    expect(examples.length).toBeGreaterThan(15);
    expect(examplesIn('docs/training.md', 'js'), 'examples that nobody runs').toEqual([]);
  });

  it.each(examples.map(({ name }, index) => ({ name, index })))(
    '$name runs in a stranger’s project, and prints what the page says',
    async ({ index }) => {
      outcomes ??= runAll(examples, hooks);
      const { error, printed } = (await outcomes)[index]!;
      expect(error).toBeUndefined();
      const { prints } = examples[index]!;
      if (prints !== undefined) expect(printed).toBe(prints);
    },
    120_000,
  );

  it('has no mistake in its types', async () => {
    const folder = project(examples, hooks);
    const compilerOptions = {
      ...{ module: 'nodenext', target: 'es2023', strict: true, skipLibCheck: true, noEmit: true },
      types: ['node'],
      typeRoots: [join(root, 'node_modules', '@types')],
      customConditions: ['@hookline/source'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch((failed) => failed);
    // The packages' sources are judged by their own settings, elsewhere.
    expect((stdout as string).split('\n').filter((line) => /example-\d+\.ts/.test(line))).toEqual([]);
  }, 120_000);
});

interface Example {
  /** The heading it is under, and its line. */
  name: string;
  code: string;
  /** What the page says that it prints. */
  prints: string | undefined;
}

interface Outcome {
  error: string | undefined;
  printed: string;
}

function examplesIn(page: string, language: string): Example[] {
  const text = readFileSync(join(root, page), 'utf8');
  const blocks = new RegExp(
    `^\`\`\`${language}\\n(.*?)^\`\`\`\\n(?:\\nIt prints:\\n\\n\`\`\`\\n(.*?)^\`\`\`\\n)?`,
    'gms',
  );
  return [...text.matchAll(blocks)].map(({ 1: code, 2: prints, index }) => {
    const before = text.slice(0, index).split('\n');
    const heading = before.filter((line) => /^#+ /.test(line)).at(-1);
    return { name: `${page}:${before.length} ${heading}`, code: code!, prints };
  });
}

/** A folder outside the workspace with the examples as files, and what its package.json names as if installed. */
function project(examples: readonly Example[], dependencies: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-docs-'));
  folders.push(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'docs', type: 'module', dependencies }));
  const modules = join(folder, 'node_modules');
  for (const scope of ['@hookline', '@tensorflow']) mkdirSync(join(modules, scope), { recursive: true });
  for (const name of Object.keys(dependencies)) {
    symlinkSync(join(root, 'packages', name.replace('@hookline/', '')), join(modules, name));
  }
  const theirs = join(root, 'packages', 'trainer', 'node_modules', '@tensorflow');
  for (const name of readdirSync(theirs)) symlinkSync(join(theirs, name), join(modules, '@tensorflow', name));
  for (const [index, { code }] of examples.entries())
    writeFileSync(join(folder, `example-${index}.ts`), code);
  return folder;
}

/** All in one process, one after the other: loading tfjs takes longer than most of them. */
async function runAll(
  examples: readonly Example[],
  dependencies: Record<string, string>,
): Promise<Outcome[]> {
  const folder = project(examples, dependencies);
  writeFileSync(join(folder, 'run-all.mjs'), RUN_ALL.replace('COUNT', String(examples.length)));
  const args = ['--import', TSX, '--conditions=@hookline/source', 'run-all.mjs'];
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
  await run(process.execPath, args, { cwd: folder, env });
  return JSON.parse(readFileSync(join(folder, 'outcomes.json'), 'utf8')) as Outcome[];
}

const RUN_ALL = `
import { writeFileSync } from 'node:fs';
const write = process.stdout.write;
const outcomes = [];
for (let index = 0; index < COUNT; index++) {
  let printed = '';
  process.stdout.write = (text) => { printed += text; return true; };
  const error = await import('./example-' + index + '.ts').then(() => undefined, (failed) => String(failed?.stack ?? failed));
  process.stdout.write = write;
  outcomes.push({ printed, error });
}
writeFileSync('outcomes.json', JSON.stringify(outcomes));
`;
