/** What an element says about itself. Numbers are rounded to hundredths; what is undefined is left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const said = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? round(value) : escaped(value!)}"`)
    .join('');
  return children.length === 0 ? `<${name}${said}/>` : `<${name}${said}>${children.join('')}</${name}>`;
}

export function text(x: number, y: number, content: string, attributes: Attributes = {}): string {
  return element('text', { x, y, ...attributes }, escaped(content));
}

/** A name that stands out, and words about it. */
export function namedText(x: number, y: number, name: string, words: string, attributes: Attributes): string {
  const strong = element('tspan', { class: 'strong' }, escaped(name));
  return element('text', { x, y, ...attributes }, strong, escaped(` ${words}`));
}

/** Moves what is inside. */
export function at(x: number, y: number, ...children: readonly string[]): string {
  return element('g', { transform: `translate(${round(x)} ${round(y)})` }, ...children);
}

/** Shown when the pointer rests on the element that it is in. */
export function tooltip(content: string): string {
  return element('title', {}, escaped(content));
}

export function round(number: number): string {
  return String(Math.round(number * 100) / 100);
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
