import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { host } from '../src/host/browser.js';

/** A web worker of the test: it hears what is sent, and says what the test has it say. */
class FakeWorker extends EventTarget {
  readonly posted: unknown[] = [];
  isTerminated = false;

  constructor(
    readonly url: URL | string,
    readonly options?: object,
  ) {
    super();
  }

  postMessage(message: unknown): void {
    this.posted.push(message);
  }

  terminate(): void {
    this.isTerminated = true;
  }

  say(type: string, fields: object): void {
    this.dispatchEvent(Object.assign(new Event(type), fields));
  }
}

beforeEach(() => {
  vi.stubGlobal('Worker', FakeWorker);
});
afterEach(() => vi.unstubAllGlobals());

const started = () => {
  const worker = new FakeWorker('/training.js');
  const [messages, deaths] = [[] as unknown[], [] as unknown[][]];
  const port = host.startWorker(() => worker, {
    onMessage: (message) => void messages.push(message),
    onDeath: (...why) => void deaths.push(why),
  });
  return { worker, port, messages, deaths };
};

describe('a web worker, as its page sees it', () => {
  test('gets messages, and sends them', () => {
    const { worker, port, messages } = started();
    port.post({ a: 1 });
    worker.say('message', { data: { b: 2 } });
    expect([worker.posted, messages]).toEqual([[{ a: 1 }], [{ b: 2 }]]);
    port.terminate();
    expect(worker.isTerminated).toBe(true);
  });

  test('dies of an error that nobody caught, with its place and cause', () => {
    const { worker, deaths } = started();
    const error = new Error('oops');
    worker.say('error', { message: 'Uncaught Error: oops', filename: '/training.js', lineno: 7, error });
    expect(deaths).toEqual([['Uncaught Error: oops (/training.js:7)', error]]);
  });

  test('dies when its module cannot be loaded, of which browsers say nothing', () => {
    const { worker, deaths } = started();
    worker.say('error', { error: null });
    expect(deaths).toEqual([['its module, or one that it imports, could not be loaded', undefined]]);
  });

  test('dies when a message of it cannot be read', () => {
    const { worker, deaths } = started();
    worker.say('messageerror', {});
    expect(deaths[0]![0]).toBe('a message of it could not be read');
  });

  test('is started from an address as a module', () => {
    const made: FakeWorker[] = [];
    vi.stubGlobal(
      'Worker',
      class extends FakeWorker {
        constructor(url: URL | string, options?: object) {
          super(url, options);
          made.push(this);
        }
      },
    );
    host.startWorker('/training.js', { onMessage() {}, onDeath() {} });
    expect(made.map(({ url, options }) => [url, options])).toEqual([['/training.js', { type: 'module' }]]);
  });

  test('must be one: something else is refused, with what was expected', () => {
    const start = () => host.startWorker(() => ({}), { onMessage() {}, onDeath() {} });
    expect(start).toThrow(
      expect.objectContaining({ code: 'WORKER_OPTIONS', message: expect.stringContaining("type: 'module'") }),
    );
  });
});

describe('the page, as a web worker sees it', () => {
  test('is talked to by the global scope', () => {
    const posted: unknown[] = [];
    let listener: (event: { data: unknown }) => void = () => {};
    vi.stubGlobal('document', undefined);
    vi.stubGlobal('postMessage', (message: unknown) => posted.push(message));
    vi.stubGlobal('addEventListener', (_type: string, heard: typeof listener) => {
      listener = heard;
    });
    const heard: unknown[] = [];
    const main = host.mainSide((message) => void heard.push(message));
    main!.post({ hello: 1 });
    listener({ data: 'train' });
    expect([posted, heard]).toEqual([[{ hello: 1 }], ['train']]);
  });

  test('is not there in a page: the same module can train without a worker', () => {
    vi.stubGlobal('postMessage', () => {});
    vi.stubGlobal('document', {});
    expect(host.mainSide(() => {})).toBeUndefined();
    vi.stubGlobal('document', undefined);
    vi.stubGlobal('postMessage', undefined);
    expect(host.mainSide(() => {})).toBeUndefined();
  });
});

describe('the life of a web worker', () => {
  /** Locks as a browser has them: the next one waits until the first is released. */
  function fakeLocks() {
    const waiting = new Map<string, (() => void)[]>();
    const request = (name: string, ...rest: unknown[]) => {
      const work = rest.at(-1) as () => unknown;
      const { signal } = (rest.length > 1 ? rest[0] : {}) as { signal?: AbortSignal };
      const queue = waiting.get(name);
      if (!queue) {
        waiting.set(name, []);
        return Promise.resolve(work());
      }
      return new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => {
          queue.splice(queue.indexOf(enter), 1);
          reject(signal.reason);
        });
        const enter = () => resolve(work());
        queue.push(enter);
      });
    };
    const release = (name: string) => waiting.get(name)?.shift()?.();
    return { request, release };
  }

  test('ends when the lock is free that it held, however it died', async () => {
    const locks = fakeLocks();
    vi.stubGlobal('navigator', { locks });
    const deaths: string[] = [];
    await host.holdLife('life-1');
    host.watchLife('life-1', (why) => void deaths.push(why));
    expect(deaths).toEqual([]);
    locks.release('life-1');
    expect(deaths).toEqual(['it was terminated, closed itself, or crashed']);
  });

  test('is no longer watched once the run is over', async () => {
    const locks = fakeLocks();
    vi.stubGlobal('navigator', { locks });
    const deaths: string[] = [];
    await host.holdLife('life-2');
    host.watchLife('life-2', (why) => void deaths.push(why))();
    locks.release('life-2');
    expect(deaths).toEqual([]);
  });

  test('is not known where a page has no locks, which keeps nobody from training', async () => {
    vi.stubGlobal('navigator', {});
    await host.holdLife('life-3');
    host.watchLife('life-3', () => expect.unreachable())();
  });
});

describe('a page', () => {
  test('is given way by a task of its own, not by a microtask', async () => {
    const order: string[] = [];
    const way = host.giveWay().then(() => order.push('went on'));
    setTimeout(() => order.push('another task'));
    await Promise.resolve().then(() => order.push('microtask'));
    await way;
    expect(order[0]).toBe('microtask');
    expect(order).toContain('went on');
  });

  test('has no signals and no exit code; errors are lines of its console', () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    host.onSignal(() => expect.unreachable())();
    host.reportExitCode(1);
    host.writeError('hookline warn slow\n');
    expect(error.mock.calls).toEqual([['hookline warn slow']]);
    error.mockRestore();
  });
});
