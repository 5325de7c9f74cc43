import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** Why system calls cannot be made to fail here; undefined when they can. */
export async function whyNoStrace(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'there is no strace outside Linux';
  if (spawnSync('strace', ['--version']).status !== 0) return 'strace is not installed';
  const idle = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  try {
    const strace = await Strace.attach(idle.pid!, 'rmdir', 'error=EIO', '1', '/dev/null');
    await strace.detach();
    return undefined;
  } catch (error) {
    return `strace may not be attached: ${(error as Error).message}`;
  } finally {
    idle.kill('SIGKILL');
  }
}

/** Makes system calls of a running process fail, or kill it. */
export class Strace {
  private constructor(
    private readonly process: ChildProcess,
    private readonly log: string,
  ) {}

  /**
   * @param calls such as `fsync`, or `/rename` for all that begin so
   * @param fault such as `error=EIO` or `signal=KILL`
   * @param when such as `3` for the third call, or `1+4` for every fourth
   */
  static async attach(pid: number, calls: string, fault: string, when: string, log: string): Promise<Strace> {
    const inject = `inject=${calls}:${fault}:when=${when}`;
    const args = ['-f', '-p', String(pid), '-o', log, '-e', `trace=${calls}`, '-e', inject];
    const child = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr!.on('data', (text) => {
        said += text;
        if (said.includes('attached')) resolve();
      });
      child.once('exit', () => reject(new Error(said.trim())));
    });
    return new Strace(child, log);
  }

  async detach(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const gone = once(this.process, 'exit');
    this.process.kill('SIGINT');
    await gone;
  }

  /** How many calls were made to fail. */
  injected(): number {
    return readFileSync(this.log, 'utf8').split('(INJECTED)').length - 1;
  }
}
