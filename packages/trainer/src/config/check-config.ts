import { didYouMean } from '@hookline/hook-api';
import { createOptimizers } from '@hookline/optimizers';
import { kindOf } from '../errors.js';
import { checkFitOptions, checkTrainerOptions, FIT_KEYS, TRAINER_KEYS } from '../options.js';
import { isForbidden, pathText } from './config-path.js';
import { isReference } from './file-reference.js';
import { isPlain } from './plain.js';
import { type ConfigProblem, problemsIn } from './problems.js';

type Given = Readonly<Record<string, unknown>>;

const CONFIG_KEYS = [...TRAINER_KEYS.filter((key) => key !== 'root'), 'data', 'fit'];
const CONFIG_FIT_KEYS = FIT_KEYS.filter((key) => key !== 'train' && key !== 'validation');
/** Losses are checked with what is said about them. */
const OF_LOSS = ['loss', 'lossWeights', 'classWeights', 'labelSmoothing', 'ignoreLabel'];

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
  const { hooks, model: _model, optimizer, hyperparameters, ...rest } = given;
  const problems = Object.keys(rest).flatMap((key) => {
    if (!TRAINER_KEYS.includes(key as never) || key === 'root' || (key !== 'loss' && OF_LOSS.includes(key)))
      return [];
    const value = rest[key];
    if (key === 'loss' && isReference(value)) return [];
    const with_ =
      key === 'loss' ? Object.fromEntries(OF_LOSS.map((name) => [name, rest[name]])) : { [key]: value };
    return attempt(key, () => checkTrainerOptions({ ...with_, model: () => undefined as never }));
  });
  if (hyperparameters !== undefined)
    problems.push(
      ...attempt('hyperparameters', () =>
        checkTrainerOptions({ hyperparameters: hyperparameters as never, model: () => undefined as never }),
      ),
    );
  if (optimizer !== undefined && !mentionsParameters(optimizer))
    problems.push(...attempt('optimizer', () => createOptimizers(optimizer as never, [])));
  if (hooks !== undefined && !Array.isArray(hooks) && !isPlain(hooks))
    problems.push({ path: 'hooks', message: `is ${kindOf(hooks)}, expected a map or a list of hooks.` });
  return problems;
}

/** Whether they exist is known when the model is. */
function mentionsParameters(optimizer: unknown): boolean {
  if (Array.isArray(optimizer)) return true;
  return (
    isPlain(optimizer) &&
    (typeof optimizer.name !== 'string' || 'params' in optimizer || 'groups' in optimizer)
  );
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
      ...attempt(`fit.${key}`, () => checkFitOptions({ train: [], epochs: 1, ...resume, [key]: value })),
    );
  }
  return problems;
}

function attempt(path: string, check: () => unknown): ConfigProblem[] {
  try {
    check();
    return [];
  } catch (error) {
    return problemsIn(error, path);
  }
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
