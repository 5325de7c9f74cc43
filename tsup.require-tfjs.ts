import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

const TFJS = /^@tensorflow\/(tfjs-[a-z-]+)$/;
const OF_TENSORFLOW = /^@tensorflow\//;

/**
 * Lets Node load tfjs by `require`. Where a module imports CommonJS, Node first searches its text for the names that it
 * exports, which takes five times as long as loading it: half a second for the packages of tfjs that training needs.
 * The sources import tfjs as usual. What is built imports `#tfjs-core`, and the "imports" of package.json decide: Node
 * itself gets a file that requires it, bundlers and browsers get the package.
 */
export function requireTfjs(): Plugin {
  return {
    name: 'require-tfjs',
    setup(build) {
      const root = build.initialOptions.absWorkingDir ?? process.cwd();
      const { imports = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
      const used = new Set<string>();
      build.onResolve({ filter: OF_TENSORFLOW }, ({ path }) => {
        const name = TFJS.exec(path)?.[1];
        // A file of a package, say: it must not end up in what is built either.
        if (name === undefined) return { path, external: true };
        const expected = importOf(name);
        if (JSON.stringify(imports[`#${name}`]) !== JSON.stringify(expected))
          return { errors: [{ text: missing(root, name, expected) }] };
        used.add(name);
        return { path: `#${name}`, external: true };
      });
      build.onEnd(() => {
        for (const name of used) writeRequired(root, name);
      });
    },
  };
}

const NODE_ALONE = 'node-addons';

/**
 * What is bundled must hold one tfjs, not a second one that it requires. Bundlers know "module", and Node does not. But
 * with conditions of its own esbuild forgets "module", and it knows "node": the condition for Node is one that it sets alone.
 */
function importOf(name: string): Record<string, string> & { [NODE_ALONE]: string } {
  const itself = `@tensorflow/${name}`;
  return { module: itself, bun: itself, [NODE_ALONE]: `./dist/required/${name}.js`, default: itself };
}

function missing(root: string, name: string, expected: object): string {
  return `${root} imports @tensorflow/${name}: "imports" of its package.json must have "#${name}": ${JSON.stringify(expected)}.`;
}

function writeRequired(root: string, name: string): void {
  const file = join(root, importOf(name)[NODE_ALONE]);
  const exported = Object.keys(createRequire(join(root, 'package.json'))(`@tensorflow/${name}`));
  const names = exported.filter((each) => each !== 'default' && each !== '__esModule').join(', ');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    `import { createRequire } from 'node:module';\nexport const { ${names} } = createRequire(import.meta.url)('@tensorflow/${name}');\n`,
  );
}
