// The training of the worker check without a worker, its results on standard output.
import training from './worker-training.js';

const { trainer, fit } = await training({ steps: Number(process.argv[2]) });
const { metrics } = await trainer.fit(fit);
console.log(JSON.stringify(metrics));
