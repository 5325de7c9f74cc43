import { readdirSync, readFileSync } from 'node:fs';
import { folderPerTest } from '@hookline/test-support';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Dashboard, openDashboard } from '../src/index.js';
import { ask } from './open-socket.js';

const folder = folderPerTest();
const page = new URL('../page/', import.meta.url);
const files = readdirSync(page);
let dashboard: Dashboard;
beforeEach(async () => {
  dashboard = await openDashboard(folder.path);
});
afterEach(() => dashboard.close());

test.each(files.filter((file) => file !== 'index.html'))('%s is served as it is published', async (file) => {
  const { status, text, headers } = await ask(dashboard.url, `/${file}`);
  expect([status, text]).toEqual([200, readFileSync(new URL(file, page), 'utf8')]);
  expect(headers['content-type']).toBe(
    file.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
  );
});

test('everything that the page refers to is there', async () => {
  const { text } = await ask(dashboard.url, new URL(dashboard.url).pathname + new URL(dashboard.url).search);
  const modules = files.filter((file) => file.endsWith('.js'));
  const imported = modules.flatMap((file) =>
    [...readFileSync(new URL(file, page), 'utf8').matchAll(/^import .* from '\.\/(.*)';$/gm)].map(
      ([, name]) => name!,
    ),
  );
  const linked = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name!);
  expect(linked).toEqual(['uplot.css', 'style.css', 'uplot.js', 'app.js']);
  for (const name of new Set([...imported, ...linked])) {
    expect([name, (await ask(dashboard.url, `/${name}`)).status]).toEqual([name, 200]);
  }
});

test('the page loads nothing from elsewhere and runs nothing that is written into it', async () => {
  const { headers, text } = await ask(dashboard.url, `/${new URL(dashboard.url).search}`);
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(text).not.toMatch(/https?:\/\//);
  expect(text).not.toMatch(/<script(?![^>]*src=)/);
  for (const file of files) expect(readFileSync(new URL(file, page), 'utf8')).not.toMatch(/innerHTML|eval\(/);
});

test.each(['/', '/runs', '/app.js', '/nowhere'])(
  'the answer to %s is kept by nobody and names the token to nobody',
  async (path) => {
    const { headers } = await ask(dashboard.url, `${path}${new URL(dashboard.url).search}`);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  },
);
