import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../src/training-steps.py', import.meta.url));

/** In milliseconds. */
export interface Duration {
  readonly wall: number;
  /** Of all threads together. */
  readonly processor: number;
}

/** PyTorch on the same models, in a process that stays: the Python of HOOKLINE_PYTHON, or python3. */
export class TorchSide {
  readonly #lines: AsyncIterator<string>;

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  /** With as many threads as there are cores when absent. Undefined where there is no Python, or no PyTorch for it. */
  static async start(threads?: number): Promise<TorchSide | undefined> {
    const args = threads === undefined ? [SCRIPT] : [SCRIPT, String(threads)];
    const child = spawn(process.env.HOOKLINE_PYTHON ?? 'python3', args);
    child.stderr.resume();
    child.on('error', () => {});
    const side = new TorchSide(child);
    const { value } = await side.#lines.next();
    return value === 'ready' ? side : undefined;
  }

  async time(model: string, steps: number): Promise<Duration> {
    this.child.stdin.write(`${JSON.stringify({ model, steps })}\n`);
    const { value } = await this.#lines.next();
    const answer = JSON.parse(value ?? '{"error":"no answer"}') as Duration | { error: string };
    if ('error' in answer) throw new Error(answer.error);
    return answer;
  }

  close(): void {
    this.child.kill();
  }
}
