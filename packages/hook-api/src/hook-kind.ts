/** What a hook does: watches the run, sees activations, takes part in the update. */
export type HookKind = 'lifecycle' | 'forward' | 'update';

export const HOOK_KINDS: readonly HookKind[] = ['lifecycle', 'forward', 'update'];
