/** Which packages are looked at; `*` stands for any text. */
interface Choice {
  include?: readonly string[];
  exclude?: readonly string[];
}

/** Why a package is not looked at; undefined when it is. */
export function whyLeftOut(name: string, { include, exclude }: Choice): string | undefined {
  if (exclude?.some((pattern) => matches(name, pattern))) return 'Left out by discover.exclude.';
  if (include && !include.some((pattern) => matches(name, pattern))) return 'Not in discover.include.';
  return undefined;
}

function matches(name: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(name);
}
