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

/** What trains on the Python side: a bare loop in PyTorch, `fit` of Keras on top of it, or Lightning without callbacks. */
export type Framework = 'torch' | 'keras' | 'lightning';

/** The same models in Python, in a process that stays: the Python of HOOKLINE_PYTHON, or python3. */
export class PythonSide {
  readonly #lines: AsyncIterator<string>;

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  /** With as many threads as there are cores when absent. Undefined where there is no Python, or it lacks the framework. */
  static async start(framework: Framework, threads?: number): Promise<PythonSide | undefined> {
    const args = [SCRIPT, framework, ...(threads === undefined ? [] : [String(threads)])];
    const child = spawn(process.env.HOOKLINE_PYTHON ?? 'python3', args);
    child.stderr.resume();
    child.on('error', () => {});
    const side = new PythonSide(child);
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
