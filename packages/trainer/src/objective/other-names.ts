import { didYouMean } from '@hookline/hook-api';

/** What Keras, PyTorch and scikit-learn call the losses and metrics that have another name here. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  mse: 'meanSquaredError',
  mseloss: 'meanSquaredError',
  l2: 'meanSquaredError',
  rmse: 'rootMeanSquaredError',
  mae: 'meanAbsoluteError',
  l1: 'meanAbsoluteError',
  l1loss: 'meanAbsoluteError',
  mape: 'meanAbsolutePercentageError',
  msle: 'meanSquaredLogarithmicError',
  smoothl1loss: 'huber',
  smoothl1: 'huber',
  huberloss: 'huber',
  bce: 'binaryCrossentropy',
  bceloss: 'binaryCrossentropy',
  logloss: 'binaryCrossentropy',
  bcewithlogits: 'sigmoidCrossentropy',
  bcewithlogitsloss: 'sigmoidCrossentropy',
  crossentropy: 'sparseSoftmaxCrossentropy',
  crossentropyloss: 'sparseSoftmaxCrossentropy',
  nllloss: 'sparseCategoricalCrossentropy',
  kld: 'kullbackLeiblerDivergence',
  kldivergence: 'kullbackLeiblerDivergence',
  kldivloss: 'kullbackLeiblerDivergence',
  cosinesimilarity: 'cosineProximity',
  acc: 'accuracy',
  binaryaccuracy: 'accuracy',
  categoricalaccuracy: 'accuracy',
  sparsecategoricalaccuracy: 'accuracy',
  topk: 'topKAccuracy',
  f1score: 'f1',
  rocauc: 'auc',
};

/** ` Did you mean "x"?`, also for names from other frameworks; nothing where no name is near. */
export function meantName(name: unknown, known: readonly string[]): string {
  const other =
    OTHER_NAMES[
      String(name)
        .toLowerCase()
        .replace(/[^a-z0-9]/g, '')
    ];
  if (other !== undefined && known.includes(other)) return ` Did you mean "${other}"?`;
  return didYouMean(String(name), known);
}
