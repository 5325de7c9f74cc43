/** Text that is HTML already. Everything else is escaped: a metric named `<script>` is text. */
export class Markup {
  constructor(readonly text: string) {}
}

export type Part = string | number | Markup | undefined | false | readonly Part[];

/** HTML from a template: what is put into it is escaped, unless it is `Markup`. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.map((text, at) => (at === 0 ? text : textOf(parts[at - 1]) + text)).join(''));
}

function textOf(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return escaped(String(part));
}

/** For the text of elements and for attributes in quotes. Control characters would be invisible or invalid. */
function escaped(text: string): string {
  return text.replace(
    /[&<>"'\p{Control}]/gu,
    (character) => ENTITIES[character] ?? (/\s/.test(character) ? character : '\ufffd'),
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** JSON for a script element: nothing in it can end the element. */
export function jsonMarkup(value: unknown): Markup {
  return new Markup(JSON.stringify(value).replaceAll('<', '\\u003c'));
}
