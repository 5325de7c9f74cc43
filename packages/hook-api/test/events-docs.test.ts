import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { EVENTS } from '../src/index.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const page = read('../../../docs/events.md');
const eventsSource = plain(read('../src/events.ts'));
const hookSource = plain(read('../src/hook.ts'));

const names = Object.keys(EVENTS);

/** The loop as it is drawn in the comment of the event table. */
const pseudoCode = block(eventsSource, '/**', '*/')
  .split('\n')
  .map((line) => line.replace(/^ \* ?/, ''))
  .join('\n');

test('the pseudo-code at the table names every event, in the order of the table, and no other', () => {
  const named = block(pseudoCode, '```', '```').match(/\b(setup|teardown|(on|transform)[A-Z]\w*)\b/g);
  expect(named).toEqual(names);
});

test('the Hook interface has a method for every event, in the order of the table, and no other', () => {
  const hook = block(hookSource, 'export interface Hook {', '\n}');
  const methods = [...hook.matchAll(/^ {2}(\w+)\?\(/gm)].map(([, name]) => name);
  expect(methods).toEqual(['saveState', 'loadState', ...names]);
});

test('the documentation page shows the same loop', () => {
  expect(block(page, '```', '```')).toBe(block(pseudoCode, '```', '```'));
});

test('the documentation page has a heading for every event, in the order of the table, and no other', () => {
  expect(sections().map(({ name }) => name)).toEqual(names);
});

describe('the documentation page says of each event', () => {
  /** One fact of every event, by name. */
  const facts = <Fact>(factOf: (name: string, text: string) => Fact) =>
    Object.fromEntries(sections().map(({ name, text }) => [name, factOf(name, text)]));

  test('what kind it is, whether it can wait and what it returns', () => {
    const returned = new Map(members(block(eventsSource, 'export interface TransformResults {', '\n}')));
    const expected = Object.entries(EVENTS).map(([name, { kind, sync }]) => {
      const returns = returned.has(name) ? `, returns \`${returned.get(name)}\` or undefined` : '';
      return [name, `${kind}, ${sync ? 'sync' : 'may be async'}${returns}`];
    });
    expect(facts((_, text) => bullet(text, 'Kind'))).toEqual(Object.fromEntries(expected));
  });

  test('the fields of its payload, with their types', () => {
    const documented = facts((_, text) =>
      [...bullet(text, 'Payload').matchAll(/`(\w+\??): ([^`]+)`/g)].map(([, field, type]) => [field, type]),
    );
    const payloads = members(block(eventsSource, 'export interface HookEvents {', '\n}'));
    expect(documented).toEqual(Object.fromEntries(payloads.map(([name, type]) => [name, fieldsOf(type)])));
  });

  test.each(['Fires', 'You may', 'Tensors'])('%s', (label) => {
    const silent = names.filter((name) => facts((_, text) => bullet(text, label))[name] === '');
    expect(silent).toEqual([]);
  });
});

/** What stands between two marks, the first time they occur. */
function block(text: string, begin: string, end: string): string {
  const start = text.indexOf(begin);
  expect(start, `"${begin}" is not there`).toBeGreaterThanOrEqual(0);
  return text.slice(start + begin.length, text.indexOf(end, start + begin.length));
}

function sections(): { name: string; text: string }[] {
  return page
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      return { name: heading.replaceAll('`', ''), text: lines.join('\n').split(/^## /m)[0]! };
    });
}

function bullet(section: string, label: string): string {
  const [, text = ''] = new RegExp(`^- \\*\\*${label}\\*\\* ((?:.|\\n {2})*)`, 'm').exec(section) ?? [];
  return text.replaceAll('\n  ', ' ');
}

/** All fields of a payload type with their types, those of the types it extends first. */
function fieldsOf(type: string): [string, string][] {
  const alias = new RegExp(`export type ${type} = ([^;]*)& ([^;]*);`).exec(eventsSource);
  if (alias) return [...fieldsOf(alias[1]!.trim()), ...fieldsOf(alias[2]!.trim())];
  const union = new RegExp(`export type ${type} =\\n((?: {2}\\| \\{.*\\}[;\\n]+)+)`).exec(eventsSource);
  if (union) return joined(union[1]!);
  const heading = new RegExp(`export interface ${type}(?: extends (\\w+))? \\{`).exec(eventsSource);
  expect(heading, `${type} is neither an interface nor a known form of alias`).not.toBeNull();
  const own = members(block(eventsSource, heading![0], '\n}'));
  return [...(heading![1] ? fieldsOf(heading![1]) : []), ...own];
}

function members(body: string): [string, string][] {
  return [...body.matchAll(/^ {2}(\w+\??): (.*);$/gm)].map(([, name, type]) => [name!, type!]);
}

/** The fields of a union of literals, each with all of its types. */
function joined(union: string): [string, string][] {
  const types = new Map<string, Set<string>>();
  for (const [, name, type] of union.matchAll(/(\w+): (\w+)/g)) {
    types.set(name!, (types.get(name!) ?? new Set()).add(type!));
  }
  return [...types].map(([name, each]) => [name, [...each].join(' | ').replace('false | true', 'boolean')]);
}

/** The sources without the type parameter for batches, which the page leaves out. */
function plain(source: string): string {
  return source
    .replaceAll(/<Data(?: extends Batch = Batch)?>/g, '')
    .replaceAll('batch: Data;', 'batch: Batch;');
}
