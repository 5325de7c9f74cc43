import { npmProject, plugin } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { discoverHooks } from '../../src/discovery/discover-hooks.js';

test("a third party that claims a built-in's name is rejected, the built-in's own package is not", () => {
  const root = npmProject({
    'trainer-hook-evil': plugin('trainer-hook-evil', 'checkpoint'),
    '@hookline/hook-early-stopping': plugin('@hookline/hook-early-stopping', 'early-stopping'),
  });
  const [evil, own] = discoverHooks({ root }).packages;
  expect(evil?.status).toBe('rejected');
  expect(evil?.reasons[0]).toContain('"checkpoint", which belongs to @hookline/hook-checkpoint');
  expect(own?.status).toBe('found');
});

test('of two plugins with one hook name the later is rejected, and the reason names both', () => {
  const root = npmProject({
    'trainer-hook-a': plugin('trainer-hook-a', 'ema'),
    'trainer-hook-b': plugin('trainer-hook-b', 'ema'),
  });
  const [first, second] = discoverHooks({ root }).packages;
  expect(first?.status).toBe('found');
  expect(second?.status).toBe('rejected');
  expect(second?.reasons[0]).toContain(
    'trainer-hook-b claims the hook name "ema", which belongs to trainer-hook-a',
  );
});

test('a package that is left out or rejected owns no name', () => {
  const root = npmProject({
    'trainer-hook-out': plugin('trainer-hook-out', 'ema'),
    'trainer-hook-old': plugin('trainer-hook-old', 'ema', { peer: '^0.1.0' }),
    'trainer-hook-b': plugin('trainer-hook-b', 'ema'),
    'trainer-hook-out-too': plugin('trainer-hook-out-too', 'ema'),
  });
  const { packages } = discoverHooks({ root, exclude: ['trainer-hook-out*'] });
  expect(packages.map(({ status }) => status)).toEqual(['disabled', 'rejected', 'found', 'disabled']);
});
