import { expect, test } from 'vitest';
import { html, jsonMarkup } from '../src/page/html.js';

test('what is put into a template is text, in elements and in attributes', () => {
  const evil = `<script>alert("1" & '2')</script>`;
  const escaped = '&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;';
  expect(html`<b title="${evil}">${evil}</b>`.text).toBe(`<b title="${escaped}">${escaped}</b>`);
});

test('markup stays as it is, and lists are joined, however deep', () => {
  const rows = [[html`<li>1</li>`, '<'], html`<li>2</li>`];
  expect(html`<ul>${rows}</ul>`.text).toBe('<ul><li>1</li>&lt;<li>2</li></ul>');
});

test('undefined and false leave nothing behind; 0 and an empty text are what they are', () => {
  expect(html`[${undefined}${false}${0}${''}]`.text).toBe('[0]');
});

test('control characters become visible, line breaks stay', () => {
  expect(html`${'a\u0000b\u001bc\nd\te'}`.text).toBe('a\ufffdb\ufffdc\nd\te');
});

test('data in a script element cannot end the element, and is read back unchanged', () => {
  const data = { '</script><script>alert(1)</script>': ['<!--', 1] };
  const { text } = jsonMarkup(data);
  expect(text).not.toContain('<');
  expect(JSON.parse(text)).toEqual(data);
});
