import { join, posix, relative } from 'node:path';
import { Application } from 'typedoc';
import { root } from '../../scripts/process.mjs';
import { publishedPackages } from '../../scripts/workspace.mjs';

/**
 * Writes the API reference from the types and the comments in the sources: a page for everything that can be imported,
 * named as it is in the import. typedoc needs the compiler as a library, which TypeScript 7 is not: this folder has the
 * newest version that is.
 * @param {string} folder
 */
export async function writeApi(folder) {
  const names = importable();
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: [...names.keys()],
    tsconfig: join(root, 'site', 'tsconfig.api.json'),
    // `npm run typecheck` has done it, with the compiler of the repository.
    skipErrorChecking: true,
    excludeExternals: true,
    excludeInternal: true,
    excludePrivate: true,
    disableSources: true,
    readme: 'none',
    groupOrder: ['Classes', 'Functions', 'Variables', 'Interfaces', 'Type Aliases', '*'],
    ...layout(folder),
  });
  const project = await app.convert();
  if (!project) throw new Error('typedoc could not read the types');
  const byModule = new Map([...names].map(([source, name]) => [moduleName(source), name]));
  for (const module of [...(project.children ?? [])]) {
    // An entry that is imported only for what it does has nothing to describe.
    if (!module.children) project.removeReflection(module);
    else module.name = byModule.get(module.name) ?? module.name;
  }
  await app.generateOutputs(project);
  if (app.logger.hasErrors()) throw new Error('typedoc reported errors');
}

/**
 * By its source: what people write in an import.
 * @returns {Map<string, string>}
 */
function importable() {
  return new Map(
    publishedPackages().flatMap(({ folder, manifest }) =>
      Object.entries(manifest.exports)
        .filter(([path]) => path !== './package.json')
        .map(([path, target]) => [join(folder, target['@hookline/source']), posix.join(manifest.name, path)]),
    ),
  );
}

/**
 * The name that typedoc gives a module: its path, without what can be left out in an import.
 * @param {string} source
 */
function moduleName(source) {
  const path = relative(join(root, 'packages'), source).replaceAll('\\', '/');
  return path.replace(/(\/index)?\.ts$/, '');
}

/**
 * How the pages look: options of typedoc-plugin-markdown, whose types typedoc does not know.
 * @param {string} folder
 * @returns {Record<string, unknown>}
 */
function layout(folder) {
  return {
    outputs: [{ name: 'markdown', path: folder }],
    outputFileStrategy: 'modules',
    entryFileName: 'index',
    hidePageHeader: true,
    hideBreadcrumbs: true,
    useCodeBlocks: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    classPropertiesFormat: 'table',
    typeAliasPropertiesFormat: 'table',
    typeDeclarationFormat: 'table',
    tableColumnSettings: {
      hideDefaults: true,
      hideInherited: true,
      hideModifiers: true,
      hideOverrides: true,
      hideSources: true,
    },
  };
}
