/**
 * Runs every check, also after one has failed, and ends with a table of how each went.
 * @param {Record<string, import('./tasks.mjs').Task>} checks
 * @param {string[]} [args] `--except <name>` leaves one out.
 */
export async function check(checks, args = []) {
  const [option, except = '', ...rest] = args;
  if (option !== undefined && (option !== '--except' || !(except in checks) || rest.length > 0)) {
    throw new Error(`"${args.join(' ')}" is not --except and one of: ${Object.keys(checks).join(', ')}`);
  }

  const rows = [];
  const failed = [];
  for (const [name, task] of Object.entries(checks)) {
    if (name === except) continue;
    console.log(`\n[${name}] ${task.does}`);
    const begin = performance.now();
    try {
      await task.run([]);
    } catch (error) {
      failed.push(name);
      console.error(`[${name}] failed: ${error instanceof Error ? error.message : error}`);
    }
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    rows.push(
      `  ${failed.includes(name) ? 'FAILED' : 'good  '}  ${name.padEnd(13)} ${seconds.padStart(6)} s`,
    );
  }

  console.log(`\n[check]\n${rows.join('\n')}`);
  if (failed.length > 0) throw new Error(`${failed.length} of ${rows.length}: ${failed.join(', ')}`);
  console.log(`all ${rows.length} checks are good`);
}
