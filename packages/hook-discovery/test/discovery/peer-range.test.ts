import { createRequire } from 'node:module';
import { npmProject, plugin } from '@hookline/test-support';
import { afterEach, expect, test, vi } from 'vitest';
import { discoverHooks } from '../../src/discovery/discover-hooks.js';
import { checkPeerRange, HOOK_API_VERSION } from '../../src/discovery/peer-range.js';

afterEach(() => vi.unstubAllEnvs());

const needs = (range: string) => ({ peerDependencies: { '@hookline/hook-api': range } });

test('the running version is that of the installed hook-api', () => {
  const { version } = createRequire(import.meta.url)('@hookline/hook-api/package.json') as {
    version: string;
  };
  expect(HOOK_API_VERSION).toBe(version);
});

test('a plugin whose range does not match is rejected: range, running version and fix are named', () => {
  const root = npmProject({ 'trainer-hook-x': plugin('trainer-hook-x', 'x', { peer: '^9.0.0' }) });
  const [found] = discoverHooks({ root }).packages;
  expect(found?.status).toBe('rejected');
  expect(found?.reasons).toEqual([
    `needs @hookline/hook-api ^9.0.0, but ${HOOK_API_VERSION} is running. ` +
      'Install a version that fits (npm install trainer-hook-x@latest), or use it anyway with HOOKLINE_SKIP_PEER_CHECK=1.',
  ]);
});

test('HOOKLINE_SKIP_PEER_CHECK=1 accepts it anyway, with a warning', () => {
  vi.stubEnv('HOOKLINE_SKIP_PEER_CHECK', '1');
  const root = npmProject({ 'trainer-hook-x': plugin('trainer-hook-x', 'x', { peer: '^9.0.0' }) });
  const [found] = discoverHooks({ root }).packages;
  expect(found).toMatchObject({ status: 'found', reasons: [] });
  expect(found?.warnings).toEqual([expect.stringContaining('HOOKLINE_SKIP_PEER_CHECK=1')]);
});

test('a plugin that names no range is accepted with a warning', () => {
  const root = npmProject({ 'trainer-hook-x': plugin('trainer-hook-x', 'x', { peer: null }) });
  const [found] = discoverHooks({ root }).packages;
  expect(found?.status).toBe('found');
  expect(found?.warnings).toEqual([
    expect.stringContaining('peerDependencies["@hookline/hook-api"] is missing'),
  ]);
});

test.each([
  ['^1.0.0', '1.4.0', true],
  ['>=1 <3', '2.1.0', true],
  ['^1.0.0', '2.0.0', false],
  ['^1.5.0', '1.4.0', false],
  // A pre-release of hook-api counts as the release it leads to.
  ['^1.0.0', '1.0.0-rc.1', true],
  ['^1.0.0', '1.1.0-beta.0', true],
  ['1.1.0-beta.3', '1.1.0-beta.3', true],
  ['^2.0.0', '2.0.0-rc.1', true],
  ['^1.0.0', '2.0.0-rc.1', false],
  // As written in a workspace, before packing.
  ['workspace:^', '1.4.0', true],
  ['catalog:', '1.4.0', true],
  ['newest', '1.4.0', false],
])('%s with hook-api %s: accepted is %s', (range, running, accepted) => {
  const { problem } = checkPeerRange(needs(range), 'trainer-hook-x', running);
  expect(problem === undefined).toBe(accepted);
});
