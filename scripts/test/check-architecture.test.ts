import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageRules, trainerRooms } from '../architecture.mjs';
import { withPicture } from '../architecture-picture.mjs';
import { architectureProblems, type Rules } from '../check-architecture.mjs';

const rules: Rules = {
  packages: [
    { name: 'base', holds: 'what all use', imports: [] },
    { name: 'trainer', holds: 'the loop', imports: ['base'] },
    { name: 'hook-*', holds: 'hooks', imports: ['base'] },
  ],
  rooms: [
    { name: 'entry', files: ['index'], holds: 'the way in' },
    { name: 'loop', holds: 'what happens', not: ['model'] },
    { name: 'resume', holds: 'where it was' },
    { name: 'model', holds: 'what is trained' },
    { name: 'host', holds: 'the machine', door: '#host' },
  ],
};

let workspace: string;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'hookline-architecture-'));
  write('pnpm-workspace.yaml', 'packages:\n  - packages/*\n');
  for (const name of ['base', 'trainer', 'hook-tap']) {
    write(`packages/${name}/package.json`, JSON.stringify({ name: `@x/${name}` }));
    write(`packages/${name}/src/index.ts`, 'export {};\n');
  }
});
afterEach(() => rmSync(workspace, { recursive: true }));

it('a tree whose imports follow the arrows has no problems', () => {
  write('packages/base/src/index.ts', "export * from './number.js';\n");
  write('packages/base/src/number.ts', 'export const one = 1;\n');
  write(
    'packages/hook-tap/src/index.ts',
    "import { one } from '@x/base/number';\nexport const two = one + 1;\n",
  );
  write(
    'packages/trainer/src/index.ts',
    "export * from './loop/fit.js';\nimport 'node:fs';\nimport '@x/base';\n",
  );
  write('packages/trainer/src/loop/fit.ts', "import '../resume/cursor.js';\nimport '#host';\n");
  write('packages/trainer/src/resume/cursor.ts', 'export {};\n');
  write('packages/trainer/src/host/node.ts', "import './files.js';\n");
  write('packages/trainer/src/host/files.ts', 'export {};\n');
  expect(architectureProblems(workspace, rules)).toEqual([]);
});

describe('an import cycle is refused', () => {
  it('between three files, and shown as a path', () => {
    write('packages/base/src/a.ts', "import { b } from './b.js';\nexport const a = b;\n");
    write('packages/base/src/b.ts', "export * from './deep/c.js';\n");
    write('packages/base/src/deep/c.ts', "export const c = () => import('../a.js');\n");
    expect(architectureProblems(workspace, rules)).toEqual([
      'import cycle: packages/base/src/a.ts -> packages/base/src/b.ts -> packages/base/src/deep/c.ts -> packages/base/src/a.ts',
    ]);
  });

  it('of types alone', () => {
    write('packages/base/src/a.ts', "import type { B } from './b.js';\nexport type A = B[];\n");
    write('packages/base/src/b.ts', "export interface B { a: import('./a.js').A }\n");
    expect(architectureProblems(workspace, rules)).toEqual([
      'import cycle: packages/base/src/a.ts -> packages/base/src/b.ts -> packages/base/src/a.ts',
    ]);
  });

  it('of a file with itself', () => {
    write('packages/base/src/a.ts', "import type { A } from './a.js';\n");
    expect(architectureProblems(workspace, rules)).toEqual([
      'import cycle: packages/base/src/a.ts -> packages/base/src/a.ts',
    ]);
  });

  it('every one of a knot, each once', () => {
    write('packages/base/src/a.ts', "import './b.js';\nimport './c.js';\n");
    write('packages/base/src/b.ts', "import './a.js';\n");
    write('packages/base/src/c.ts', "import './a.js';\n");
    expect(architectureProblems(workspace, rules)).toHaveLength(2);
  });
});

describe('an import against the arrows is refused', () => {
  it('between packages, with file, line and rule', () => {
    write(
      'packages/hook-tap/src/index.ts',
      "import '@x/base';\nimport type { Trainer } from '@x/trainer';\n",
    );
    expect(architectureProblems(workspace, rules)).toEqual([
      'packages/hook-tap/src/index.ts:2 imports @x/trainer: hook-* may import base',
    ]);
  });

  it('of a package by its own name', () => {
    write('packages/base/src/a.ts', "import '@x/base';\n");
    expect(architectureProblems(workspace, rules)).toEqual([
      'packages/base/src/a.ts:1 imports @x/base: base may import no package of this workspace',
    ]);
  });

  it('from a lower room of the trainer to a higher one', () => {
    write('packages/trainer/src/loop/fit.ts', 'export {};\n');
    write('packages/trainer/src/resume/cursor.ts', "\nimport type { Fit } from '../loop/fit.js';\n");
    expect(architectureProblems(workspace, rules)).toEqual([
      'packages/trainer/src/resume/cursor.ts:2 imports loop/fit.ts: resume may import model, host',
    ]);
  });

  it('to a lower room that the rule excepts', () => {
    write('packages/trainer/src/model/layers.ts', 'export {};\n');
    write('packages/trainer/src/loop/fit.ts', "import '../model/layers.js';\n");
    expect(architectureProblems(workspace, rules)).toEqual([
      'packages/trainer/src/loop/fit.ts:1 imports model/layers.ts: loop may import resume, host',
    ]);
  });

  it('past the door of a room', () => {
    write('packages/trainer/src/host/files.ts', 'export {};\n');
    write('packages/trainer/src/index.ts', "import './host/files.js';\n");
    expect(architectureProblems(workspace, rules)).toEqual([
      'packages/trainer/src/index.ts:1 imports host/files.ts: other rooms import host through #host only',
    ]);
  });

  it('to a file that is in no room', () => {
    write('packages/trainer/src/loose.ts', 'export {};\n');
    write('packages/trainer/src/index.ts', "import './loose.js';\n");
    expect(architectureProblems(workspace, rules)).toEqual([
      'packages/trainer/src/index.ts:1 imports loose.ts, which is in no room of scripts/architecture.mjs',
    ]);
  });
});

describe('what a browser loads', () => {
  const inBrowser: Rules = {
    packages: rules.packages.map((rule) => (rule.name === 'base' ? { ...rule, browser: ['index'] } : rule)),
    rooms: rules.rooms,
    browserHooks: ['hook-tap'],
  };

  it('may differ from Node behind #host, and take types from anywhere', () => {
    write('packages/base/src/index.ts', "import '#host';\nimport type { Stats } from './files.js';\n");
    write('packages/base/src/files.ts', "import 'node:fs';\nexport type Stats = number;\n");
    write('packages/base/src/host/node.ts', "import '../files.js';\n");
    write('packages/base/src/host/browser.ts', 'export {};\n');
    expect(architectureProblems(workspace, inBrowser)).toEqual([]);
  });

  it('imports no module of Node, however far away', () => {
    write('packages/base/src/index.ts', "import '#host';\n");
    write('packages/base/src/host/browser.ts', "import '../files.js';\n");
    write('packages/base/src/files.ts', "import 'node:fs';\n");
    write('packages/hook-tap/src/index.ts', "import 'path';\n");
    expect(architectureProblems(workspace, inBrowser)).toEqual([
      'a browser would need node:fs: packages/base/src/index.ts -> packages/base/src/host/browser.ts -> packages/base/src/files.ts:1',
      'a browser would need path: packages/hook-tap/src/index.ts:1',
    ]);
  });
});

it('a package without a rule is refused', () => {
  write('packages/extra/package.json', '{ "name": "@x/extra" }');
  expect(architectureProblems(workspace, rules)).toEqual([
    'packages/extra has no rule in scripts/architecture.mjs',
  ]);
});

it('the rules of this repository have no cycle: each package imports only those listed before it', () => {
  const names = packageRules.map(({ name }) => name);
  for (const [index, { name, imports }] of packageRules.entries()) {
    expect(names.slice(0, index), name).toEqual(expect.arrayContaining(imports));
  }
  expect(new Set(trainerRooms.map(({ name }) => name)).size).toBe(trainerRooms.length);
});

describe('the picture on the page of the architecture', () => {
  const page = `# Page

<!-- from scripts/architecture.mjs; write it with: npm run architecture -- --write -->
stale
<!-- end of what is generated -->

Text.
`;

  it('shows packages and rooms, and leaves the rest of the page alone', () => {
    const written = withPicture(page, rules);
    expect(written).toMatch(/^# Page\n/);
    expect(written).toMatch(/\nText\.\n$/);
    expect(written).not.toContain('stale');
    expect(written).toContain('  hooks["hook-*"] --> base\n');
    expect(written).toContain('| [`trainer`](../packages/trainer) | the loop | base |');
    expect(written).toContain('| `loop/` | what happens | does not import `model/` |');
    expect(written).toContain('| `host/` | the machine | imported through `#host` only |');
    expect(withPicture(written, rules)).toBe(written);
  });

  it('changes with the rules', () => {
    const others = { ...rules, packages: rules.packages.slice(0, 2) };
    expect(withPicture(page, others)).not.toBe(withPicture(page, rules));
  });

  it('is not written into a page without its markers', () => {
    expect(() => withPicture('# Page\n', rules)).toThrow('must have these two lines');
  });
});

function write(file: string, text: string): void {
  mkdirSync(dirname(join(workspace, file)), { recursive: true });
  writeFileSync(join(workspace, file), text);
}
