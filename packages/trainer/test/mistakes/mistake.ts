/** What a user wrote, the code of the error, and what its message must name: the fix. */
export type Mistake = readonly [wrote: string, code: string, fix: string];
