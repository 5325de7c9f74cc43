import type { Metric } from './metric.js';
import { type MetricOption, metricOf } from './metric-option.js';

/** The same metric, in which each sample counts as much as its weight: `weighted('accuracy')` is `weighted-accuracy`. */
export function weighted(option: MetricOption): Metric {
  const metric = metricOf(option);
  return {
    name: `weighted-${metric.name}`,
    weighted: true,
    // Called on the object that the user gave: its methods may use `this`.
    update: (...args) => metric.update(...args),
    result: (...args) => metric.result(...args),
    refuses: (meaning) => metric.refuses?.(meaning),
  };
}
