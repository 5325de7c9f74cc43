import { writeSync } from 'node:fs';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import { mpiError } from './errors.js';
import { type Answer, BELL, type Hello, type Request, type ThreadData } from './thread/requests.js';

const OF_OTHERS: readonly string[] = ['RANK_FAILED', 'RANK_TIMEOUT', 'RANKS_DIFFER'];

/** How long a rank that has failed lets the main one save and report, in milliseconds, before MPI ends the job. */
const GRACE = 10_000;
/** A thread inside of MPI cannot be asked anything: it is given this much longer than ranks have, in seconds. */
const MARGIN = 15;

/** One process of an MPI job. MPI itself lives in a thread: this object asks it, and the process stays responsive. */
export class MpiRank {
  readonly #worker: Worker;
  readonly #bell: Int32Array;
  /** What the thread is asked is answered in this order. */
  readonly #waiting: ((answer: Answer) => void)[] = [];
  readonly #timeout: number;
  #hasFailed = false;
  #uncaught: unknown;
  /** The thread does not answer any more. */
  #isStuck = false;

  private constructor(
    readonly rank: number,
    readonly world: number,
    /** Which library it is, in its own words. */
    readonly library: string,
    worker: Worker,
    { bell, timeout }: ThreadData,
  ) {
    this.#worker = worker;
    this.#bell = bell;
    this.#timeout = timeout;
    worker.on('message', (answer: Answer) => this.#waiting.shift()?.(answer));
    worker.on('error', (error) => this.#answerAll(`the thread of MPI failed: ${error.message}`));
    worker.unref();
    process.on('uncaughtExceptionMonitor', (error) => {
      this.fail();
      this.#uncaught = error;
    });
    process.once('exit', (code) => this.#end(code));
  }

  static async start(thread: URL, options: Pick<ThreadData, 'timeout' | 'libraries'>): Promise<MpiRank> {
    const bell = new Int32Array(new SharedArrayBuffer(4 * BELL.words));
    const data: ThreadData = { ...options, bell };
    const worker = new Worker(thread, { workerData: data });
    const hello = await new Promise<Hello>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    if (!('missing' in hello)) return new MpiRank(hello.rank, hello.world, hello.library, worker, data);
    await worker.terminate();
    throw mpiError(
      'MPI_MISSING',
      `No MPI library could be loaded:\n  ${hello.missing}\nInstall one (apt-get install openmpi-bin, brew install open-mpi, or module load openmpi on a cluster), or name it: HOOKLINE_MPI=/path/to/libmpi.so`,
    );
  }

  /** In memory that both threads see: nothing is copied. */
  allocate(length: number): Float32Array {
    return new Float32Array(new SharedArrayBuffer(length * 4));
  }

  async sum(values: Float32Array): Promise<void> {
    if (values.buffer instanceof SharedArrayBuffer) return void (await this.#ask({ op: 'sum', values }));
    const shared = this.allocate(values.length);
    shared.set(values);
    await this.#ask({ op: 'sum', values: shared });
    values.set(shared);
  }

  async gather(text: string): Promise<string[]> {
    const { all } = await this.#ask({ op: 'gather', bytes: Buffer.from(text) });
    return all!.map((bytes) => Buffer.from(bytes).toString());
  }

  async broadcast(bytes: Uint8Array | undefined): Promise<Uint8Array> {
    return (await this.#ask({ op: 'broadcast', bytes })).bytes!;
  }

  /** The thread knows whether the others have heard of a failure already. */
  abort(reason: string): void {
    this.fail();
    this.#ring({ op: 'abort', reason });
    Atomics.store(this.#bell, BELL.urgent, 1);
  }

  /** This process ends the whole job when it ends. */
  fail(): void {
    this.#hasFailed = true;
  }

  #ask(request: Request): Promise<Exclude<Answer, { failure: unknown }>> {
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          this.#isStuck = true;
          this.#answerAll(
            `MPI has not answered for ${this.#timeout * 2 + MARGIN} s: a rank has died within a call. Nothing that was saved is lost: start the same command with resume: "auto" to continue`,
          );
        },
        (this.#timeout * 2 + MARGIN) * 1000,
      );
      this.#waiting.push((answer) => {
        clearTimeout(timer);
        if (this.#waiting.length === 0) this.#worker.unref();
        if (!('failure' in answer)) return resolve(answer);
        this.fail();
        reject(mpiError(answer.failure.code, answer.failure.message));
      });
      this.#ring(request);
    });
  }

  #answerAll(message: string): void {
    for (const answer of this.#waiting.splice(0)) answer({ failure: { code: 'MPI_FAILED', message } });
  }

  #ring(request: Request): void {
    this.#worker.postMessage(request);
    Atomics.add(this.#bell, BELL.rung, 1);
    Atomics.notify(this.#bell, BELL.rung);
  }

  /** Node prints an error that nobody caught after this, which this process does not live to see. */
  #report(): void {
    if (this.#uncaught === undefined) return;
    const { code } = Object(this.#uncaught) as { code?: unknown };
    // What another rank has failed with is for the main rank to say, once. If that is the one that does not answer, the
    // next one says so.
    const speaker = this.rank !== 0 && code === 'RANK_TIMEOUT' ? 1 : 0;
    if (this.rank === speaker || !OF_OTHERS.includes(String(code)))
      writeSync(2, `${inspect(this.#uncaught)}\n`);
  }

  /**
   * The process ends, and nothing can be awaited any more. Where all is well MPI ends with it, on all ranks together.
   * After a failure it ends the job at once; but a rank other than the main one waits first, so that the main rank can
   * save and report.
   */
  #end(code: number): void {
    // A thread that is stuck in a call cannot be ended, and this process would wait for it.
    this.#report();
    if (this.#isStuck) process.kill(process.pid, 'SIGKILL');
    if (this.#hasFailed && this.rank !== 0) Atomics.wait(this.#bell, BELL.ended, 0, GRACE);
    this.#ring({ op: 'end', code: this.#hasFailed ? code || 1 : code, aborts: this.#hasFailed });
    Atomics.wait(this.#bell, BELL.ended, 0, this.#timeout * 1000);
  }
}
