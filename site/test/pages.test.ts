import { expect, it } from 'vitest';
import { allPages, sectionsOfPages } from '../src/pages.mjs';

const page = (route: string) => ({ source: `${route}.md`, route, title: route, hooks: [] });

it('every page of docs/ and every README of a package is on the site, once', () => {
  const shown = sectionsOfPages().flatMap(({ pages }) => pages.map(({ source }) => source));
  expect([...shown].sort()).toEqual(
    allPages()
      .map(({ source }) => source)
      .sort(),
  );
  expect(shown).toEqual(
    expect.arrayContaining(['docs/events.md', 'packages/trainer/README.md', 'examples/recipes/README.md']),
  );
});

it('every hook has its page', () => {
  const hooks = sectionsOfPages().find(({ title }) => title === 'Hooks to install')!.pages;
  expect(hooks.every(({ hooks }) => hooks.length > 0)).toBe(true);
  expect(hooks.flatMap(({ hooks }) => hooks)).toEqual(
    expect.arrayContaining(['early-stopping', 'checkpoint', 'json-log', 'tensorboard']),
  );
});

it('a page that no line names comes where the pattern is', () => {
  const [first, second] = sectionsOfPages(
    [
      { title: 'First', routes: ['training', '*', 'last'] },
      { title: 'Second', routes: ['hooks/b', 'hooks/*'] },
    ],
    ['new', 'last', 'hooks/a', 'training', 'hooks/b'].map(page),
  );
  expect(first!.pages.map(({ route }) => route)).toEqual(['training', 'new', 'last']);
  expect(second!.pages.map(({ route }) => route)).toEqual(['hooks/b', 'hooks/a']);
});

it('a line for a page that does not exist, and a page without a line, are errors', () => {
  const sections = [{ title: 'All', routes: ['training'] }];
  expect(() => sectionsOfPages(sections, [])).toThrow(
    'the outline of the site names "training", but no page has that address',
  );
  expect(() => sectionsOfPages(sections, ['training', 'examples/digits'].map(page))).toThrow(
    'no line of the outline of the site takes examples/digits.md',
  );
});
