import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, renameSync, symlinkSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '@hookline/test-programs';
import { folderPerTest } from '@hookline/test-support';
import { beforeEach, expect, test } from 'vitest';
import { sweepProject } from './sweep-project.js';
import { fakeProgram } from './trial/fake-program.js';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

const folder = folderPerTest();
beforeEach(() => symlinkSync(`${PACKAGE}/node_modules`, folder.in('node_modules')));

const PROGRAM = `
  import { command } from './src/command.ts';
  process.exitCode = await command.run(process.argv.slice(2), (said) => process.stdout.write(said));
`;

/** Runs the command in a process, with `trial` as the program of a trial. */
async function sweepWith(trial: string, ...args: string[]): Promise<{ code: number | null; said: string }> {
  const program = folder.in('sweep.mjs');
  copyFileSync(await bundledProgram(PROGRAM, PACKAGE), program);
  // The program of a trial is the one beside the sweep's.
  renameSync(fakeProgram(folder.path, trial), folder.in('trial-program.mjs'));
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { code, said };
}

test.skipIf(process.platform === 'win32').each(['SIGINT', 'SIGTERM', 'SIGHUP'])(
  '%s lets a trial save, ends the sweep with 130, and the same command continues',
  async (signal) => {
    const file = await sweepProject(
      folder.in('.'),
      `space: { 'optimizer.lr': choice(0.1) }, search: 'grid', halving: false`,
    );
    const ended = await sweepWith(
      `process.on('SIGTERM', () => { writeFileSync(task.folder + '/saved', ''); process.exit(143); });
       process.kill(process.ppid, '${signal}');
       setTimeout(() => {}, 60_000);`,
      file,
    );
    expect(ended.said).toContain('trial 0: interrupted; it continues when the sweep does');
    expect(ended.code).toBe(130);
    expect(existsSync(folder.in('sweep/trials/0000/saved'))).toBe(true);
    const { code, said } = await sweepWith('reach(0.5);', file);
    expect(said).toContain('trial 0: val/loss 0.5 after 4 of 4 epochs');
    expect(code).toBe(0);
  },
);
