import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The first of these programs that starts. */
export function findProgram(names: readonly string[], probe: readonly string[]): string | undefined {
  return names.find((name) => {
    try {
      execFileSync(name, [...probe], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}

/** The folder with `node_api.h` of this Node, where it was installed with it. */
export function nodeHeaders(): string | undefined {
  const beside = join(dirname(dirname(process.execPath)), 'include', 'node');
  const folders = [beside, '/usr/include/node', '/usr/local/include/node'];
  return folders.find((folder) => existsSync(join(folder, 'node_api.h')));
}

/** Runs a program to its end; rejects with what it printed last. */
export function runProgram(program: string, args: readonly string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(program, [...args], { cwd, maxBuffer: 2 ** 26 }, (failure, stdout, stderr) => {
      if (!failure) return resolve();
      const said = `${stdout}\n${stderr}`.trim().split('\n').slice(-8).join('\n');
      reject(new Error(`${program} failed (${failure.code ?? failure.signal}):\n${said}`));
    });
  });
}

/** As one would type it. */
export function commandLine(program: string, args: readonly string[]): string {
  return [program, ...args].map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
