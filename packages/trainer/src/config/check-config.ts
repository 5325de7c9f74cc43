import { didYouMean } from '@hookline/hook-api';
import { kindOf } from '../errors.js';
import { checkFitOptions, checkTrainerOptions, FIT_KEYS, TRAINER_KEYS } from '../options.js';
import { isForbidden, pathText } from './config-path.js';
import { isReference } from './file-reference.js';
import { isPlain } from './plain.js';
import { type ConfigProblem, problemsOf } from './problems.js';

type Given = Readonly<Record<string, unknown>>;

const CONFIG_KEYS = [...TRAINER_KEYS.filter((key) => key !== 'root'), 'data', 'fit'];
const CONFIG_FIT_KEYS = FIT_KEYS.filter((key) => key !== 'train' && key !== 'validation');
/** Losses are checked with what is said about them. */
const OF_LOSS = ['loss', 'lossWeights', 'classWeights', 'labelSmoothing', 'ignoreLabel'];
const CHECKED_TOGETHER: readonly string[] = [...OF_LOSS, 'metrics', 'model', 'hooks', 'root'];

/** Everything that is wrong with a config and can be seen without running its model, data and hooks. */
export function configProblems(config: object): ConfigProblem[] {
  const given = config as Given;
  const forbidden = forbiddenKeys(config);
  if (forbidden.length > 0) return forbidden;
  return [
    ...unknownKeys(given),
    ...missingKeys(given),
    ...trainerProblems(given),
    ...(given.fit === undefined ? [] : fitProblems(given.fit)),
  ];
}

function unknownKeys(given: Given): ConfigProblem[] {
  return Object.keys(given)
    .filter((key) => !CONFIG_KEYS.includes(key as never))
    .map((key) => {
      const place = CONFIG_FIT_KEYS.includes(key as never) ? ` It belongs to fit: { ${key}: ... }.` : '';
      return { path: pathText([key]), message: `unknown setting.${place || didYouMean(key, CONFIG_KEYS)}` };
    });
}

function missingKeys({ model, data, fit }: Given): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const refuse = (path: string, value: unknown, expected: string) => {
    const got = value === undefined ? 'is missing' : `is ${kindOf(value)}`;
    problems.push({ path, message: `${got}, expected ${expected}.` });
  };
  const isCode = (value: unknown) =>
    typeof value === 'function' || (typeof value === 'object' && value !== null);
  if (!isReference(model) && !isCode(model))
    refuse(
      'model',
      model,
      'a model, a function that makes one, or its file, such as "./model.ts#createModel"',
    );
  if (!isReference(data) && !isCode(data))
    refuse(
      'data',
      data,
      '{ train, validation?, test? }, a function that loads it, or its file, such as "./data.ts#loadData"',
    );
  else if (isPlain(data)) problems.push(...dataProblems(data));
  if (!isPlain(fit)) refuse('fit', fit, '{ epochs: 10 }');
  return problems;
}

/** Of data that is there, or of what a function loaded. */
export function dataProblems(data: Given): ConfigProblem[] {
  const known = ['train', 'validation', 'test'];
  const unknown = Object.keys(data).filter((key) => !known.includes(key));
  const problems = unknown.map((key) => ({
    path: pathText(['data', key]),
    message: `unknown setting.${didYouMean(key, known)} Expected: ${known.join(', ')}.`,
  }));
  if (data.train === undefined) problems.push({ path: 'data.train', message: 'is missing.' });
  return problems;
}

/** Each option by itself, so that one mistake does not hide the others. */
function trainerProblems(given: Given): ConfigProblem[] {
  const { hooks, loss } = given;
  // A file is looked at when it is imported.
  const known: Given = { ...given, ...(isReference(loss) && { loss: undefined }) };
  const only = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, known[key]]));
  const check = (key: string, keys: readonly string[] = [key]) =>
    problemsOf(key, () => checkTrainerOptions({ ...only(keys), model: () => undefined as never }));
  const ofLoss = check('loss', OF_LOSS);
  const alone = TRAINER_KEYS.filter((key) => key in given && !CHECKED_TOGETHER.includes(key));
  const problems = [
    ...ofLoss,
    // What a metric measures depends on the loss.
    ...check('metrics', ofLoss.length > 0 ? ['metrics'] : ['metrics', ...OF_LOSS]),
    ...alone.flatMap((key) => check(key)),
  ];
  if (hooks !== undefined && !Array.isArray(hooks) && !isPlain(hooks))
    problems.push({ path: 'hooks', message: `is ${kindOf(hooks)}, expected a map or a list of hooks.` });
  return problems;
}

function fitProblems(fit: unknown): ConfigProblem[] {
  if (!isPlain(fit)) return [];
  const unknown = Object.keys(fit).filter((key) => !CONFIG_FIT_KEYS.includes(key as never));
  const problems = unknown.map((key) => {
    const place = key === 'train' || key === 'validation' ? ` It belongs to data: { ${key}: ... }.` : '';
    const hint = TRAINER_KEYS.includes(key as never)
      ? ` It is a setting of its own: ${key}: ...`
      : didYouMean(key, CONFIG_FIT_KEYS);
    return { path: pathText(['fit', key]), message: `unknown setting.${place || hint}` };
  });
  for (const [key, value] of Object.entries({ epochs: undefined, ...fit })) {
    if (unknown.includes(key)) continue;
    const resume = key === 'override' ? { resume: 'auto' } : {};
    problems.push(
      ...problemsOf(`fit.${key}`, () => checkFitOptions({ train: [], epochs: 1, ...resume, [key]: value })),
    );
  }
  return problems;
}

/** Keys that reach the prototype, wherever they are; JSON can hold them. */
function forbiddenKeys(
  value: unknown,
  path: readonly string[] = [],
  above: readonly unknown[] = [],
): ConfigProblem[] {
  const isList = Array.isArray(value);
  if (!(isList || isPlain(value)) || above.includes(value) || path.length > 16) return [];
  // Long lists are data.
  if (isList && value.length > 256) return [];
  return Object.keys(value).flatMap((key) => {
    const here = [...path, key];
    if (isForbidden(key))
      return [{ path: pathText(here), message: 'this key is refused: it would change every object.' }];
    return forbiddenKeys((value as Given)[key], here, [...above, value]);
  });
}
