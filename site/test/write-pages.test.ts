import { describe, expect, it } from 'vitest';
import { sitePage } from '../src/write-pages.mjs';

const address = 'https://code.example/someone/hookline';
const places = {
  address,
  routes: new Map([
    ['docs/events.md', 'events'],
    ['packages/hook-checkpoint/README.md', 'hooks/checkpoint'],
  ]),
  imageAddress: (image: string) => `/images/${image}`,
};

describe('a link of a page', () => {
  const onSite = (link: string, source = 'docs/training.md') => sitePage(link, source, places);

  it('to another page leads to it on the site, anchor included', () => {
    expect(onSite('[e](events.md#onlog)')).toBe('[e](/events#onlog)');
    expect(onSite('[e](../../docs/events.md)', 'packages/data/README.md')).toBe('[e](/events)');
  });

  it('to the folder of a package leads to its page', () => {
    expect(onSite('[c](../packages/hook-checkpoint)')).toBe('[c](/hooks/checkpoint)');
    expect(onSite('[c](../packages/hook-checkpoint/)')).toBe('[c](/hooks/checkpoint)');
  });

  it('to a file that is not a page leads to the repository', () => {
    expect(onSite('[p](../scripts/pages.mjs)')).toBe(`[p](${address}/blob/HEAD/scripts/pages.mjs)`);
  });

  it('to a file that is not a page is plain text while the repository has no address', () => {
    const text = sitePage('[p](../scripts/pages.mjs)', 'docs/training.md', { ...places, address: undefined });
    expect(text).toBe('p');
  });

  it('to somewhere else, within the page or in code stays as it is', () => {
    for (const link of ['[a](https://a.example/b)', '[here](#resuming)', '```\n[e](events.md)\n```']) {
      expect(onSite(link)).toBe(link);
    }
  });
});

it('an image is copied to the site', () => {
  expect(sitePage('![head](head.svg)', 'examples/transformer/README.md', places)).toBe(
    '![head](/images/examples/transformer/head.svg)',
  );
});

describe('a diagram', () => {
  it('is drawn with its boxes and arrows', () => {
    const text = sitePage('```mermaid\ngraph TD\n  a["hook-*"] --> b\n  b --> c\n```', 'docs/x.md', places);
    expect([...text.matchAll(/<text[^>]*>([^<]+)/g)].map((match) => match[1])).toEqual(['hook-*', 'b', 'c']);
    expect(text.match(/<path d="M[^z]*?"\/>/g)).toHaveLength(2);
    expect(text).not.toContain('mermaid');
  });

  it('that cannot be drawn is an error, with the line', () => {
    const text = '```mermaid\ngraph TD\n  a -.-> b\n```';
    expect(() => sitePage(text, 'docs/x.md', places)).toThrow(
      'docs/x.md: the site draws diagrams of "graph TD" and "a --> b", not "  a -.-> b"',
    );
  });
});
