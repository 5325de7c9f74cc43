import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertHook, EVENTS, type EventName, type Hook, type StandardSchema } from '@hookline/hook-api';
import { testkitError } from './errors.js';
import { namedHook } from './fakes/named-hook.js';
import type { TestHookOptions } from './options.js';
import { type Expected, expectedOf } from './trial/compare.js';
import { type Trial, trial } from './trial/trial.js';

/** A factory or a class, as a hook package exports it. */
export type TestedFactory<Options = never> = (
  | ((options?: Options) => Hook | Hook[])
  | (new (
      options?: Options,
    ) => Hook)
) & { readonly options?: StandardSchema };

/** Where a test is: what surrounds the factory. */
export interface Surroundings {
  /** The file from which the nearest package.json is looked for. */
  testFile(): string;
  /** Imports a source file as the test itself does. */
  importModule(file: string): Promise<Record<string, unknown>>;
}

/** The hook that is checked: makes instances of it, and knows how a run with it goes. */
export class Subject {
  #expected: Promise<Expected> | undefined;
  /** Hooks that have been in a run before. */
  #used: Hook[] = [];

  constructor(
    readonly factory: TestedFactory,
    readonly settings: TestHookOptions,
    readonly surroundings: Surroundings,
  ) {}

  /** New hooks; most factories make one. */
  make(ending = ''): Hook[] {
    const { options } = this.settings;
    const given = typeof options === 'function' ? (options as () => object)() : options;
    const made = this.makeWith(given);
    return ending === '' ? made : made.map((hook) => namedHook(hook, `${hook.name}${ending}`));
  }

  makeWith(options: object | undefined): Hook[] {
    const { factory } = this;
    const made = isClass(factory) ? new factory(options as never) : factory(options as never);
    const hooks = Array.isArray(made) ? made : [made];
    for (const hook of hooks) assertHook(hook);
    return hooks;
  }

  get names(): string[] {
    return this.make().map(({ name }) => name);
  }

  get observes(): boolean {
    return this.settings.observer ?? this.make().every((hook) => transformsOf(hook).length === 0);
  }

  /** How a run goes whenever this hook is the only one. */
  expected(): Promise<Expected> {
    this.#expected ??= (async () => {
      this.#used = this.make();
      return expectedOf(await trial(this.#used), await trial(this.make()));
    })();
    return this.#expected;
  }

  /** Hooks that have been in exactly one run. */
  async used(): Promise<Hook[]> {
    await this.expected();
    return this.#used;
  }

  /** What the run said about methods of this hook that threw. */
  failures({ failures }: Trial): string[] {
    const names = this.names;
    return names.flatMap((name) => [...(failures[name] ?? []), ...(failures[`${name}-2`] ?? [])]);
  }

  /** The package's folder and the content of its package.json. */
  package(): { folder: string; file: string; json: Record<string, unknown> } {
    const given = this.settings.package;
    const file = given === undefined ? nearestPackage(this.surroundings.testFile()) : fileOf(given);
    return { folder: dirname(file), file, json: JSON.parse(readFileSync(file, 'utf8')) };
  }
}

function transformsOf(hook: Hook): EventName[] {
  const names = Object.keys(EVENTS) as EventName[];
  return names.filter((name) => EVENTS[name].kind === 'transform' && typeof hook[name] === 'function');
}

function isClass(factory: TestedFactory): factory is TestedFactory & (new (options?: never) => Hook) {
  return /^class\b/.test(Function.prototype.toString.call(factory));
}

function nearestPackage(testFile: string): string {
  for (let folder = dirname(testFile); ; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) return file;
    if (folder === dirname(folder))
      throw testkitError(
        'PACKAGE_JSON',
        `There is no package.json above ${testFile}. Name it: testHook(factory, { package: new URL('../package.json', import.meta.url) }).`,
      );
  }
}

function fileOf(place: string | URL): string {
  return place instanceof URL || place.startsWith('file:') ? fileURLToPath(place) : place;
}
