// node python-check/run.mjs [names] [--python file]: compares what we compute with what Python packages compute.
// Each check is two files: <name>.ts prints JSON, <name>.py reads it from a file and judges it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..');
const { values, positionals } = parseArgs({
  options: { python: { type: 'string' } },
  allowPositionals: true,
});

const names = readdirSync(here)
  .filter((file) => file.endsWith('.py'))
  .map((file) => basename(file, '.py'));
const unknown = positionals.find((name) => !names.includes(name));
if (unknown !== undefined) {
  console.error(`There is no check "${unknown}". There are: ${names.join(', ')}.`);
  process.exit(2);
}

const python = values.python ?? preparePython() ?? process.exit(0);
const failed = names.filter((name) => positionals.length === 0 || positionals.includes(name)).filter(fails);
process.exit(failed.length > 0 ? 1 : 0);

/**
 * Prints one line; when the check fails, also what it said.
 * @param {string} name
 */
function fails(name) {
  const ours = run(process.execPath, [
    '--import',
    'tsx',
    '--conditions=@hookline/source',
    join(here, `${name}.ts`),
  ]);
  if (ours.status !== 0) return report(name, false, ours.stderr);
  const folder = mkdtempSync(join(tmpdir(), 'hookline-python-check-'));
  const file = join(folder, `${name}.json`);
  writeFileSync(file, ours.stdout);
  const judged = run(python, [join(here, `${name}.py`), file]);
  rmSync(folder, { recursive: true, force: true });
  if (judged.status !== 0) return report(name, false, `${judged.stdout}${judged.stderr}`);
  return report(name, true, judged.stdout.trim().split('\n').at(-1));
}

/**
 * @param {string} name
 * @param {boolean} isFine
 * @param {string | undefined} text
 */
function report(name, isFine, text) {
  console.log(isFine ? `ok      ${name}: ${text}` : `FAILED  ${name}\n${text}`);
  return !isFine;
}

/** The Python of an environment with the packages, made once for each list of packages. */
function preparePython() {
  const requirements = join(here, 'requirements.txt');
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = join(tmpdir(), `hookline-python-${hash}`);
  const inside = join(
    folder,
    ...(process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python']),
  );
  const done = join(folder, 'done');
  if (existsSync(done)) return inside;
  console.log('Installing the Python packages; this happens once.');
  /** @type {[string, string[]][]} */
  const steps = [
    [process.platform === 'win32' ? 'python' : 'python3', ['-m', 'venv', folder]],
    [inside, ['-m', 'pip', 'install', '--quiet', '--retries', '0', '-r', requirements]],
  ];
  for (const [command, args] of steps) {
    const { status, stderr } = run(command, args);
    if (status === 0) continue;
    console.log(`Not checked: Python or its packages cannot be had here.\n${stderr}`);
    return undefined;
  }
  writeFileSync(done, '');
  return inside;
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  return { status, stdout: stdout ?? '', stderr: error ? String(error) : stderr };
}
