import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isRelative, linksIn } from '../markdown-links.mjs';
import { pointToRepository } from '../pack.mjs';
import { packedReadme } from '../packed-readme.mjs';
import { npm, root } from '../process.mjs';
import { repositoryAddress, requireRepository } from '../repository.mjs';
import { readTarball } from '../tarball.mjs';
import { publishedPackages } from '../workspace.mjs';

const address = 'https://code.example/someone/hookline';
const folder = mkdtempSync(join(tmpdir(), 'hookline-pack-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a packed package', () => {
  const original = join(folder, 'packed.tgz');
  const tarball = join(folder, 'copy.tgz');
  const manifest = { name: '@x/tap', version: '1.2.3', bin: { tap: 'dist/tap.js' }, files: ['dist'] };
  const code = `// [not a link](../../docs/events.md)\n${'export const a = 1; // é\n'.repeat(200)}`;

  beforeAll(async () => {
    write('tap/package.json', JSON.stringify(manifest));
    write('tap/README.md', '# Tap\n\nSee [events](../../docs/events.md).\n');
    write('tap/dist/tap.js', code);
    await npm(['pack', '--silent', '--pack-destination', folder], {
      cwd: join(folder, 'tap'),
      capture: true,
    });
    writeFileSync(original, readFileSync(join(folder, 'x-tap-1.2.3.tgz')));
  });
  beforeEach(() => writeFileSync(tarball, readFileSync(original)));

  it('points to its folder in the repository, to its page and to where bugs are reported', () => {
    pointToRepository(tarball, 'packages/tap', address);
    expect(JSON.parse(unpacked('package.json'))).toEqual({
      ...manifest,
      repository: { type: 'git', url: `git+${address}.git`, directory: 'packages/tap' },
      homepage: `${address}/tree/HEAD/packages/tap#readme`,
      bugs: { url: `${address}/issues` },
    });
    expect(unpacked('README.md')).toBe(`# Tap\n\nSee [events](${address}/blob/HEAD/docs/events.md).\n`);
  });

  it('points nowhere while the repository has no address', () => {
    pointToRepository(tarball, 'packages/tap', undefined);
    expect(JSON.parse(unpacked('package.json'))).toEqual(manifest);
    expect(unpacked('README.md')).toBe('# Tap\n\nSee events.\n');
  });

  it('has its code as it was, byte for byte', () => {
    pointToRepository(tarball, 'packages/tap', address);
    expect(unpacked('dist/tap.js')).toBe(code);
    expect([...readTarball(tarball).keys()].sort()).toEqual(['README.md', 'dist/tap.js', 'package.json']);
  });

  /** By a program that knows nothing of ours. */
  function unpacked(file: string): string {
    return execFileSync('tar', ['-xzOf', 'copy.tgz', `package/${file}`], { cwd: folder, encoding: 'utf8' });
  }
});

describe('a link in a packed README', () => {
  it.each([
    ['[it](https://example.com/a.md)', '[it](https://example.com/a.md)'],
    ['[here](#options)', '[here](#options)'],
    ['[events](../../docs/events.md#order)', `[events](${address}/blob/HEAD/docs/events.md#order)`],
    ['[the trainer](../trainer)', `[the trainer](${address}/tree/HEAD/packages/trainer)`],
    ['[`src`](src/index.ts)', `[\`src\`](${address}/blob/HEAD/packages/hook-api/src/index.ts)`],
    ['![a bar](bar.png)', `![a bar](${address}/raw/HEAD/packages/hook-api/bar.png)`],
    ['[`list[0]`](../trainer/)', `[\`list[0]\`](${address}/tree/HEAD/packages/trainer)`],
    ['```md\n[a](b.md)\n```', '```md\n[a](b.md)\n```'],
  ])('%s becomes %s', (link, expected) => {
    expect(packedReadme(link, 'packages/hook-api', address)).toBe(expected);
  });
});

describe.each(publishedPackages())('the README of $path', ({ folder: source, path }) => {
  const file = join(source, 'README.md');
  const readme = existsSync(file) ? readFileSync(file, 'utf8') : '';

  it('has no relative link on its page in the registry, with an address or without', () => {
    for (const repository of [address, undefined]) {
      expect(linksIn(packedReadme(readme, path, repository)).filter(isRelative)).toEqual([]);
    }
  });

  it('leads to files of the repository that exist', () => {
    const inRepository = linksIn(packedReadme(readme, path, address))
      .filter((link) => link.startsWith(`${address}/`))
      .map((link) => link.slice(address.length + '/blob/HEAD/'.length).replace(/#.*/, ''));
    expect(inRepository.filter((place) => !existsSync(join(root, place)))).toEqual([]);
  });
});

describe('the address of the repository', () => {
  it.each([
    ['{}', undefined],
    ['{ "hookline": { "repository": null } }', undefined],
    [`{ "hookline": { "repository": "${address}" } }`, address],
  ])('in a package.json of %s is %s', (manifest, expected) => {
    write('workspace/package.json', manifest);
    expect(repositoryAddress(join(folder, 'workspace'))).toBe(expected);
  });

  it.each(['someone/hookline', `${address}/`, 'git@code.example:someone/hookline'])(
    'cannot be %s',
    (wrong) => {
      write('workspace/package.json', JSON.stringify({ hookline: { repository: wrong } }));
      expect(() => repositoryAddress(join(folder, 'workspace'))).toThrow(
        `"hookline.repository" in package.json is "${wrong}". Expected null, or an address such as`,
      );
    },
  );

  it('must be known before anything is published', () => {
    write('workspace/package.json', '{ "hookline": { "repository": null } }');
    expect(() => requireRepository(join(folder, 'workspace'))).toThrow(
      /^packages are not published without the address .* Set "hookline": \{ "repository": /,
    );
  });
});

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}
