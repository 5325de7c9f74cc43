import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { locateNative, type Problem } from '#host';
import { type Libtensorflow, libtensorflowIn } from './libtensorflow.js';
import { commandLine, findProgram, nodeHeaders, runProgram } from './programs.js';

/** One thing that a build does: a sentence, and the command where it is one. */
export interface BuildStep {
  readonly does: string;
  readonly command?: string;
  run(): Promise<void>;
}

/** The newest version of Node-API that tfjs-node 4.22 looks for. */
const NEWEST_NAPI = 8;

/**
 * How to build the addon of a native package that is installed in the project, from the sources inside the package and a
 * TensorFlow library that is found: in the folder that `HOOKLINE_LIBTENSORFLOW` names, or in the Python wheel.
 * Nothing is fetched from the storage that the package's install script uses.
 */
export function planBuild(packageName: string, root: string): { steps: BuildStep[] } | { problem: Problem } {
  const located = locateNative(packageName, root);
  if ('problem' in located) return { problem: withoutScripts(packageName, located.problem) };
  if (process.platform !== 'linux') {
    const what = `the addon can be built on Linux only, not on ${process.platform}`;
    return { problem: { what, fix: `npm rebuild ${packageName} --build-addon-from-source` } };
  }
  const compiler = findProgram(['c++', 'g++', 'clang++'], ['--version']);
  if (!compiler) {
    return { problem: { what: 'there is no C++ compiler', fix: 'apt-get install g++, or clang' } };
  }
  const folder = dirname(dirname(located.file));
  const cache = join(resolve(root), 'node_modules', '.cache', 'hookline');
  const library = librarySteps(packageName, cache);
  if ('problem' in library) return library;
  const headers = headerSteps(cache);
  const build = buildStep(compiler, folder, library.folder, headers.folder);
  return { steps: [...library.steps, ...headers.steps, build] };
}

function withoutScripts(packageName: string, problem: Problem): Problem {
  if (problem.what !== 'not installed') return problem;
  return { ...problem, fix: `npm install --ignore-scripts ${packageName}` };
}

type Prepared = { folder: string; steps: BuildStep[] };

function librarySteps(packageName: string, cache: string): Prepared | { problem: Problem } {
  const given = process.env.HOOKLINE_LIBTENSORFLOW;
  if (given !== undefined) {
    if (libtensorflowIn(given)) return { folder: resolve(given), steps: [] };
    const what = `HOOKLINE_LIBTENSORFLOW names ${given}, which has no TensorFlow library with its headers`;
    const fix = 'Give the folder "tensorflow" of a Python wheel, or that of an unpacked libtensorflow.';
    return { problem: { what, fix } };
  }
  const wheel =
    packageName.endsWith('-gpu') && existsSync('/proc/driver/nvidia') ? 'tensorflow' : 'tensorflow-cpu';
  const target = join(cache, wheel);
  const folder = join(target, 'tensorflow');
  if (libtensorflowIn(folder)) return { folder, steps: [] };
  const python = findProgram(['python3', 'python'], ['-m', 'pip', '--version']);
  if (!python) {
    const what = 'there is no TensorFlow library, and no Python with pip to get one';
    const fix = `apt-get install python3-pip, or set HOOKLINE_LIBTENSORFLOW to a folder with the library.`;
    return { problem: { what, fix } };
  }
  // Without its dependencies: the library needs none of the Python packages around it, which take a gigabyte.
  const args = ['-m', 'pip', 'install', '--no-deps', '--upgrade', '--target', target, wheel];
  const install = {
    does: `take the library from the Python package ${wheel} (a download of about 300 MB, 1.2 GB on the disk)`,
    command: commandLine(python, args),
    run: () => runProgram(python, args, dirname(cache)),
  };
  return { folder, steps: [folderStep(cache), install] };
}

function headerSteps(cache: string): Prepared {
  const known = nodeHeaders();
  if (known) return { folder: known, steps: [] };
  const folder = join(cache, 'node_modules', 'node-api-headers', 'include');
  if (existsSync(join(folder, 'node_api.h'))) return { folder, steps: [] };
  const args = ['install', '--ignore-scripts', '--no-save', '--prefix', cache, 'node-api-headers'];
  const run = () => runProgram('npm', args, cache);
  const install = { does: 'take the headers of Node from npm', command: commandLine('npm', args), run };
  return { folder, steps: [folderStep(cache), install] };
}

function folderStep(cache: string): BuildStep {
  return { does: `make ${cache}`, run: async () => void mkdirSync(cache, { recursive: true }) };
}

function buildStep(compiler: string, folder: string, tensorflow: string, headers: string): BuildStep {
  const napi = Math.min(NEWEST_NAPI, Number(process.versions.napi));
  const addon = join(folder, 'lib', `napi-v${napi}`, 'tfjs_binding.node');
  const sources = ['tfjs_backend.cc', 'tfjs_binding.cc'].map((name) => join('binding', name));
  const args = [
    ...['-O2', '-shared', '-fPIC', '-std=c++17', `-DNAPI_VERSION=${napi}`],
    ...[`-I${headers}`, '-Ideps/include', '-I..', ...sources],
    ...['-Ldeps/lib', '-ltensorflow', '-ltensorflow_framework', '-Wl,-rpath,$ORIGIN/../../deps/lib'],
    ...['-o', addon],
  ];
  return {
    does: `compile the addon in ${folder}`,
    command: commandLine(compiler, args),
    run: async () => {
      const found = libtensorflowIn(tensorflow);
      if (!found) throw new Error(`${tensorflow} has no TensorFlow library with its headers.`);
      linkLibrary(found, join(folder, 'deps'));
      mkdirSync(dirname(addon), { recursive: true });
      await runProgram(compiler, args, folder);
    },
  };
}

/** `deps` as the package's install script would have filled it, with links: the library is large. */
function linkLibrary({ include, library, framework }: Libtensorflow, deps: string): void {
  rmSync(deps, { recursive: true, force: true });
  mkdirSync(join(deps, 'lib'), { recursive: true });
  const link = (from: string, ...to: string[]) => symlinkSync(from, join(deps, ...to));
  link(include, 'include');
  // The loader asks for the names with a version, the compiler for those without.
  link(library, 'lib', basename(library));
  link(framework, 'lib', basename(framework));
  link(basename(library), 'lib', 'libtensorflow.so');
  link(basename(framework), 'lib', 'libtensorflow_framework.so');
}
