// Trains every model in Node, as the page does: outcomes as JSON on standard output. A folder keeps the run of the MLP.
import { createLogger } from '@hookline/trainer';
import { NAMES, train } from './models.js';

const [runsDir, epochs = '4', resume] = process.argv.slice(2);
const logger = createLogger({ level: 'silent' });
const names = runsDir === undefined ? NAMES : (['MLP'] as const);
const outcomes: Record<string, unknown> = {};
for (const name of names) {
  const settings = { runsDir: runsDir ?? false, logger, epochs: Number(epochs) } as const;
  outcomes[name] = await train(name, resume === 'auto' ? { ...settings, resume } : settings);
}
console.log(JSON.stringify(outcomes));
