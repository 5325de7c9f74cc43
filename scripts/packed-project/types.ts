// Compiles only when the declarations in the tarballs resolve and say what the documentation says.
import { defineHook } from '@hookline/hook-api';
import { earlyStopping } from '@hookline/hook-early-stopping';
import { Trainer } from '@hookline/trainer';
import { layers, sequential } from '@tensorflow/tfjs-layers';

const halveOnHighLoss = defineHook({
  name: 'halve-on-high-loss',
  onTrainBatchEnd(ctx, event) {
    const loss: number | undefined = event.loss;
    const group = ctx.state.optimizers[0]?.groups[0];
    if (group && loss !== undefined && loss > 10) group.lrScale *= 0.5;
  },
});

export const trainer: Trainer = new Trainer({
  model: sequential({ layers: [layers.dense({ units: 1, inputShape: [2] })] }),
  loss: 'meanSquaredError',
  optimizer: { name: 'adam', lr: 0.05 },
  hooks: [halveOnHighLoss, earlyStopping({ patience: 3 })],
});

// @ts-expect-error: a misspelt option is found by the compiler
earlyStopping({ patiense: 3 });
