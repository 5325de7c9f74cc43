import type { HookView } from '@hookline/run-view';
import { epochLine, viewOf } from '@hookline/test-support/run-views';
import { expect, test } from 'vitest';
import { confusionTable, epochTable, factList, hookTable, modelTable, section } from '../src/page/tables.js';
import { textOf } from './text-of.js';

test('a section without content is left out', () => {
  expect(section('Model', undefined, false, [])).toBeUndefined();
  expect(section('<Model>', 'a<b')!.text).toBe('<section><h2>&lt;Model&gt;</h2>a&lt;b</section>');
});

test('facts without a value are left out, 0 is one', () => {
  const { text } = factList([
    ['a', undefined],
    ['b', ''],
    ['c', 0],
    ['<d>', '<e>'],
  ]);
  expect(text).toBe(
    '<dl><div><dt>c</dt><dd>0</dd></div><div><dt>&lt;d&gt;</dt><dd>&lt;e&gt;</dd></div></dl>',
  );
});

test('epochs are listed from 1 with their metrics; at most 201 of them, the last among them', () => {
  const lines = [epochLine(0, { a: 1 }), { ...epochLine(1, { b: 2 }), cutShort: true }];
  expect(textOf(epochTable(viewOf(lines))!.text)).toBe('All epochs epoch step a b 1 10 1 2 (cut short) 20 2');
  const many = epochTable(viewOf(Array.from({ length: 1_001 }, (_, at) => epochLine(at, { a: at }))))!.text;
  expect(many.match(/<th scope="row">/g)!.length).toBeLessThanOrEqual(201);
  expect(many).toContain('<th scope="row">1001</th>');
  expect(epochTable(viewOf())).toBeUndefined();
});

const hook = (name: string, more: Partial<HookView> = {}): HookView => ({ name, isOn: true, ...more });

test('hooks are listed with calls, time and share of the run; the longest has the longest bar', () => {
  const hooks = [
    hook('mine', { calls: 1_200, milliseconds: 5 }),
    hook('theirs', { calls: 3, milliseconds: 20, package: '@x/y', version: '1.2.3' }),
    hook('idle', { isOn: false, reason: 'not asked for' }),
  ];
  const { text } = hookTable(viewOf([], { hooks, durationMs: 1_000 }))!;
  expect(textOf(text)).toContain('mine your code 1,200 5 ms 0.5 %');
  expect(textOf(text)).toContain('theirs @x/y 1.2.3 3 20 ms 2 %');
  expect(textOf(text)).toContain('idle your code off: not asked for');
  expect([...text.matchAll(/width:(\d+)px/g)].map(([, width]) => width)).toEqual(['25', '100']);
});

test('hooks whose cost is not known have no share, and a run without hooks no table', () => {
  expect(textOf(hookTable(viewOf([], { hooks: [hook('a')] }))!.text)).toContain('a your code Times are');
  expect(hookTable(viewOf())).toBeUndefined();
});

test('the model is its layers, at most 300 of them, and the sum', () => {
  const layers = Array.from({ length: 400 }, (_, at) => ({
    path: `l${at}`,
    kind: 'Dense',
    shape: '[batch, 2]',
    parameters: 1_000,
  }));
  const text = textOf(modelTable(viewOf([], { layers, parameters: 400_000 }))!.text);
  expect(text).toContain('l0 Dense [batch, 2] 1,000');
  expect(text).toContain('l299');
  expect(text).not.toContain('l300 ');
  expect(text).toContain('400 layers, the first 300 are shown 400,000');
  expect(modelTable(viewOf())).toBeUndefined();
});

test('a confusion matrix has a row for each label, how many were found, and the share on the diagonal', () => {
  const { text } = confusionTable({
    epoch: 3,
    samples: 10,
    counts: [
      [4, 1, 0],
      [0, 5, 0],
      [0, 0, 0],
    ],
  });
  expect(textOf(text)).toContain('90 % of 10 validation samples of epoch 3 are on the diagonal');
  expect(textOf(text)).toMatch(/0 4 1 80 % 1 5 100 % 2$/);
  expect(text.match(/class="right/g)).toHaveLength(3);
  // What is frequent is dark, with light text; nothing is drawn where there is nothing.
  expect(text).toContain('<td class="right strong" style="--s:1.00">5</td>');
  expect(text).toContain('<td class="wrong" style="--s:0.00"></td>');
});
