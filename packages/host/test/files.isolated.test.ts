import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import * as node from '../src/index.js';
import { FakeSite, type Tab } from './support/fake-site.js';
import { fileCases } from './support/file-cases.js';
import { folderCases } from './support/folder-cases.js';
import { oddCases } from './support/odd-cases.js';

// browser-check/files.mjs runs the same cases in Chromium and Firefox, where nothing is fake.
const cases = Object.entries({ ...fileCases, ...folderCases, ...oddCases });

describe('Node', () => {
  test.each(cases)('%s', async (_name, run) => {
    const folder = mkdtempSync(join(tmpdir(), 'hookline-files-'));
    try {
      await run(node, folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe.each([
  ['a browser', { opfs: true }],
  ['a browser without a file system of its own', { opfs: false }],
])('%s', (_where, has) => {
  let tab: Tab;
  beforeAll(async () => {
    tab = await new FakeSite().openTab(has);
  });
  afterAll(() => vi.unstubAllGlobals());

  test.each(cases)('%s', async (name, run) => {
    // The folders of the other cases are beside it, and must not matter.
    const folder = `/${name}`;
    await tab.host.mkdir(folder);
    await run(tab.host, folder);
  });
});
