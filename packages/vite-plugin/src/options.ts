import type { DiscoverOptions } from '@hookline/hook-discovery';

/** Which packages are looked at, as for `discover` of the trainer. By default, the dependencies of the project that is bundled. */
export type HooklineOptions = Pick<DiscoverOptions, 'root' | 'include' | 'exclude' | 'includeDev'>;

/** What a page or a worker imports to have the installed hooks. */
export const HOOKS_MODULE = '@hookline/vite-plugin/hooks';
