// Trains and exports a model into the folder that is given, and writes what it predicts to standard output.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkpoint } from '@hookline/hook-checkpoint';
import { createLogger, exportModel, loadModel, Trainer } from '@hookline/trainer';
import { predictionsOf, SMALL_DATA, smallModel } from './small-model.js';

const root = mkdtempSync(join(tmpdir(), 'hookline-exported-'));
try {
  const trainer = new Trainer({
    ...{ model: smallModel, loss: 'meanSquaredError', seed: 1, root, discover: false },
    hooks: [checkpoint({ async: false })],
    logger: createLogger({ level: 'silent' }),
  });
  const { runDir } = await trainer.fit({ train: SMALL_DATA, epochs: 3 });
  await exportModel(runDir, process.argv[2]!);
  console.log(JSON.stringify(predictionsOf(await loadModel(runDir))));
} finally {
  rmSync(root, { recursive: true, force: true });
}
