import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const workspace = join(import.meta.dirname, '..', '..');

/**
 * Copies the template to where it is published, with the versions that this workspace has: `workspace:` becomes the
 * version of a package of ours, `catalog:` and `root:` those of everything else.
 */
export function buildTemplate(target: string): void {
  rmSync(target, { recursive: true, force: true });
  cpSync(join(import.meta.dirname, 'template'), target, { recursive: true });
  const file = join(target, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string>>;
  for (const field of ['peerDependencies', 'devDependencies']) {
    for (const [name, range] of Object.entries(manifest[field]!))
      manifest[field]![name] = versionOf(name, range);
  }
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
  // Under another name: tools take a package.json inside of a package for one of its own.
  renameSync(file, join(target, '_package.json'));
}

function versionOf(name: string, range: string): string {
  if (range === 'workspace:^') {
    const folder = name.replace('@hookline/', '');
    return `^${JSON.parse(text('packages', folder, 'package.json')).version}`;
  }
  if (range === 'root:^') return `^${JSON.parse(text('package.json')).devDependencies[name]}`;
  if (range === 'catalog:^')
    return `^${new RegExp(`"${name}": (\\S+)`).exec(text('pnpm-workspace.yaml'))![1]}`;
  return range;
}

function text(...path: string[]): string {
  return readFileSync(join(workspace, ...path), 'utf8');
}
