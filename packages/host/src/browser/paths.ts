/** Paths as POSIX has them; there is no current folder but the root. */
export const sep = '/';

export function isAbsolute(path: string): boolean {
  return path.startsWith(sep);
}

export function join(...parts: string[]): string {
  const joined = parts.filter((part) => part !== '').join(sep);
  return joined === '' ? '.' : normalize(joined);
}

export function resolve(...parts: string[]): string {
  const last = parts.findLastIndex(isAbsolute);
  return normalize([sep, ...parts.slice(Math.max(last, 0))].join(sep)).replace(/(.)\/$/, '$1');
}

export function dirname(path: string): string {
  const cut = withoutEnd(path).lastIndexOf(sep);
  if (cut < 0) return '.';
  return cut === 0 ? sep : path.slice(0, cut);
}

export function basename(path: string): string {
  const whole = withoutEnd(path);
  return whole.slice(whole.lastIndexOf(sep) + 1);
}

export function extname(path: string): string {
  const name = basename(path);
  const dot = name.lastIndexOf('.');
  return dot <= 0 || name === '..' ? '' : name.slice(dot);
}

export function relative(from: string, to: string): string {
  const [start, end] = [namesOf(from), namesOf(to)];
  let same = 0;
  while (same < start.length && same < end.length && start[same] === end[same]) same++;
  return [...start.slice(same).map(() => '..'), ...end.slice(same)].join(sep);
}

/** The names on the way from the root. */
export function namesOf(path: string): string[] {
  return resolve(path).split(sep).filter(Boolean);
}

function normalize(path: string): string {
  const names: string[] = [];
  for (const name of path.split(sep)) {
    if (name === '' || name === '.') continue;
    if (name === '..' && names.length > 0 && names.at(-1) !== '..') names.pop();
    else if (name !== '..' || !isAbsolute(path)) names.push(name);
  }
  const inner = names.join(sep);
  const end = path.endsWith(sep) ? sep : '';
  if (inner === '') return isAbsolute(path) ? sep : `.${end}`;
  return `${isAbsolute(path) ? sep : ''}${inner}${end}`;
}

function withoutEnd(path: string): string {
  return path.replace(/(.)\/+$/, '$1');
}
