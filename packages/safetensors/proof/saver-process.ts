import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

interface Message {
  ready?: boolean;
  removed?: string[];
  committed?: number;
  pointed?: number;
  removing?: number;
  saved?: number;
  failed?: string;
}

/** The process in saver.ts, and what it has said so far. */
export class SaverProcess {
  readonly child: ChildProcess;
  committed = 0;
  lastPointed = 0;
  removedTemps: string[] = [];
  readonly #gone: Promise<undefined>;
  #waiting: ((message: Message) => void) | undefined;

  constructor(
    mode: 'loop' | 'steps',
    parent: string,
    /** Steps that were committed and not announced to be removed, by this process or one before it. */
    private readonly owed: Set<number>,
  ) {
    const file = fileURLToPath(new URL('saver.ts', import.meta.url));
    // strace counts the calls of each thread by itself.
    const env = { ...process.env, ...(mode === 'steps' && { UV_THREADPOOL_SIZE: '1' }) };
    this.child = fork(file, [mode, parent], {
      execArgv: ['--conditions=@hookline/source', '--import', 'tsx'],
      env,
    });
    this.#gone = once(this.child, 'exit').then(() => undefined);
    this.child.on('message', (message: Message) => this.take(message));
  }

  async ready(): Promise<void> {
    const message = await this.until((each) => each.ready === true);
    if (message === undefined) throw new Error('the process that saves ended before it began');
  }

  /** The end of one save in mode `steps`. Undefined when the process ended instead. */
  saveOnce(): Promise<Message | undefined> {
    const done = this.until((each) => each.saved !== undefined || each.failed !== undefined);
    this.child.send('save');
    return done;
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.#gone;
  }

  private until(isIt: (message: Message) => boolean): Promise<Message | undefined> {
    const message = new Promise<Message>((resolve) => {
      this.#waiting = (each) => isIt(each) && resolve(each);
    });
    return Promise.race([message, this.#gone]);
  }

  private take(message: Message): void {
    if (message.committed !== undefined) {
      this.owed.add(message.committed);
      this.committed++;
    }
    if (message.removing !== undefined) this.owed.delete(message.removing);
    if (message.pointed !== undefined) this.lastPointed = message.pointed;
    if (message.removed !== undefined) this.removedTemps = message.removed;
    this.#waiting?.(message);
  }
}
