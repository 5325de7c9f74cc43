import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { vi } from 'vitest';
import type * as Host from '../../src/index.js';
import { FakeOpfs } from './fake-opfs.js';

/** What the tabs of one site share: a database, a file system, and locks. Each tab loads its own copy of the browser half of the host. */
export class FakeSite {
  readonly indexedDB: IDBFactory = new IDBFactory();
  readonly opfs: FakeOpfs = new FakeOpfs();
  readonly #locks = new Map<string, number>();
  #tabs = 0;

  /** Without OPFS for a browser that has none, without locks for a page that is not secure. */
  async openTab({ opfs = true, locks = true } = {}): Promise<Tab> {
    const tab = ++this.#tabs;
    vi.stubGlobal('indexedDB', this.indexedDB);
    vi.stubGlobal('IDBKeyRange', IDBKeyRange);
    vi.stubGlobal('navigator', {
      userAgent: 'a test',
      storage: opfs ? this.opfs.manager : { estimate: this.opfs.manager.estimate },
      locks: locks ? this.#locksOf(tab) : undefined,
    });
    vi.resetModules();
    vi.doMock('../../src/host/node.js', () => import('../../src/host/browser.js'));
    const host: typeof Host = Object.assign(
      { ...(await import('../../src/host/browser.js')) },
      await import('../../src/zip/pack-folder.js'),
    );
    return { host, kill: () => this.#release(tab) };
  }

  #locksOf(tab: number): object {
    return {
      request: (name: string, work: () => unknown) => {
        this.#locks.set(name, tab);
        return Promise.resolve(work());
      },
      query: async () => ({ held: [...this.#locks.keys()].map((name) => ({ name })) }),
    };
  }

  /** As a browser does when the process of a tab is gone. */
  #release(tab: number): void {
    for (const [name, owner] of this.#locks) if (owner === tab) this.#locks.delete(name);
  }
}

export interface Tab {
  readonly host: typeof Host;
  kill(): void;
}
