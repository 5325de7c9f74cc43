const begin = '<!-- from scripts/architecture.mjs; write it with: npm run architecture -- --write -->';
const end = '<!-- end of what is generated -->';

/**
 * The page, with the picture of these rules between its markers.
 * @param {string} page
 * @param {import('./check-architecture.mjs').Rules} rules
 */
export function withPicture(page, rules) {
  const [before, generated, ...rest] = page.split(begin);
  const after = generated?.split(end)[1];
  if (before === undefined || after === undefined || rest.length > 0) {
    throw new Error(`docs/architecture.md must have these two lines, once:\n  ${begin}\n  ${end}`);
  }
  return `${before}${begin}\n\n${picture(rules)}\n\n${end}${after}`;
}

/** @param {import('./check-architecture.mjs').Rules} rules */
function picture({ packages, rooms }) {
  return [
    graph(packages),
    table(
      ['package', 'what it holds', 'may import'],
      packages.map(({ name, holds, imports }) => [packageLink(name), holds, imports.join(', ') || 'nothing']),
    ),
    'The rooms of `packages/trainer/src`. A room may import the rooms below it.',
    table(
      ['room', 'what it holds', 'restrictions'],
      rooms.map(({ name, files, holds, not = [], door }) => [
        files ? files.map((file) => `\`${file}.ts\``).join(', ') : `\`${name}/\``,
        holds,
        [
          ...not.map((room) => `does not import \`${room}/\``),
          ...(door ? [`imported through \`${door}\` only`] : []),
        ].join('; '),
      ]),
    ),
  ].join('\n\n');
}

/**
 * An arrow means "imports". One that a longer way implies is left out, to keep the picture readable.
 * @param {import('./architecture.mjs').PackageRule[]} packages
 */
function graph(packages) {
  const imports = new Map(packages.map((rule) => [rule.name, rule.imports]));
  /** @type {(from: string, to: string) => boolean} */
  const reaches = (from, to) => (imports.get(from) ?? []).some((next) => next === to || reaches(next, to));
  const arrows = packages.flatMap((rule) =>
    rule.imports
      .filter((to) => !rule.imports.some((other) => other !== to && reaches(other, to)))
      .map((to) => `  ${node(rule.name)} --> ${node(to)}`),
  );
  return ['```mermaid', 'graph TD', ...arrows.reverse(), '```'].join('\n');
}

/** @param {string} name */
function node(name) {
  return name === 'hook-*' ? 'hooks["hook-*"]' : name;
}

/** @param {string} name */
function packageLink(name) {
  return name === 'hook-*' ? '[`hook-*`](../packages)' : `[\`${name}\`](../packages/${name})`;
}

/**
 * @param {string[]} head
 * @param {string[][]} rows
 */
function table(head, rows) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
