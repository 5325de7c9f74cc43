import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A project in which this package is installed, with binaries of platforms beside it. */
export interface Installed {
  /** By the name of the platform: a file, or text that is not a library. */
  readonly packages?: Readonly<Record<string, string | { readonly text: string }>>;
  /** What a build in the repository has left. */
  readonly built?: Readonly<Record<string, string>>;
  readonly platform?: string;
  readonly arch?: string;
}

export interface Loaded {
  readonly file?: string;
  readonly instructions?: string;
  readonly code?: string;
  readonly message?: string;
}

const home = fileURLToPath(new URL('../..', import.meta.url));

/** What loadKernels() gives in each of the projects, which are made in `folder`. One process for all: it starts slowly. */
export function loadInstalled<Name extends string>(
  folder: string,
  projects: Readonly<Record<Name, Installed>>,
): Record<Name, Loaded> {
  const cases = Object.entries<Installed>(projects).map(([name, project], i) => {
    const root = join(folder, String(i), 'node_modules', '@hookline');
    cpSync(join(home, 'src'), join(root, 'kernels-native', 'src'), { recursive: true });
    writeFileSync(join(root, 'kernels-native', 'package.json'), JSON.stringify({ type: 'module' }));
    for (const [platform, binary] of Object.entries(project.packages ?? {})) {
      put(binary, join(root, `kernels-native-${platform}`, 'kernels.node'));
    }
    for (const [platform, binary] of Object.entries(project.built ?? {})) {
      put(binary, join(root, 'kernels-native', 'build', platform, 'kernels.node'));
    }
    const { platform = 'linux', arch = 'x64' } = project;
    return { name, platform, arch, entry: join(root, 'kernels-native', 'src', 'index.ts') };
  });
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', PROGRAM, JSON.stringify(cases)],
    { cwd: home, encoding: 'utf8' },
  );
  if (!stdout) throw new Error(stderr);
  return JSON.parse(stdout);
}

function put(binary: string | { readonly text: string }, file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(join(dirname(file), 'package.json'), '{}');
  if (typeof binary === 'string') cpSync(binary, file);
  else writeFileSync(file, binary.text);
}

const PROGRAM = `
import { pathToFileURL } from 'node:url';
const answers = {};
for (const { name, platform, arch, entry } of JSON.parse(process.argv[1])) {
  Object.defineProperty(process, 'platform', { value: platform });
  Object.defineProperty(process, 'arch', { value: arch });
  const { loadKernels } = await import(pathToFileURL(entry).href);
  try {
    const { file, instructions } = loadKernels() ?? {};
    answers[name] = { file, instructions };
  } catch ({ code, message }) {
    answers[name] = { code, message };
  }
}
console.log(JSON.stringify(answers));
`;
