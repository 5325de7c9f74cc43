import { messageOf } from '@hookline/hook-api/helpers';
import type { Check } from '../check.js';
import type { Subject } from '../subject.js';

/** No hook has an option of this name. */
const UNKNOWN = 'anOptionThatDoesNotExist';

export const options: Check = {
  name: 'options',
  promise: 'can be made without options, and refuses an option that it does not know',
  needs: ['events'],
  async run(subject) {
    return [...madeWithout(subject), ...(await schemaProblems(subject))];
  },
};

function madeWithout(subject: Subject): string[] {
  try {
    subject.makeWith(undefined);
    return [];
  } catch (error) {
    return [
      `The factory fails without options: ${messageOf(error)} The hook is on with its defaults as soon as the package is installed: give every option one, or set "autoload": false and complain in setup.`,
    ];
  }
}

async function schemaProblems({ factory }: Subject): Promise<string[]> {
  const schema = factory.options as { '~standard'?: { validate?: unknown } } | undefined;
  if (schema === undefined) return [];
  const validate = schema['~standard']?.validate;
  if (typeof validate !== 'function')
    return [
      'The factory has "options", but they are not a Standard Schema: "~standard".validate is missing. Make them with defineOptions, zod, valibot or arktype.',
    ];
  const standard = factory.options!['~standard'];
  const defaults = await standard.validate({});
  const unknown = await standard.validate({ [UNKNOWN]: 1 });
  return [
    ...(defaults.issues
      ? [`The schema refuses {}: ${defaults.issues[0]?.message}. Give every option a default.`]
      : []),
    ...(unknown.issues
      ? []
      : [
          'The schema accepts an option that does not exist, so that a typing error goes unnoticed. Make it strict: defineOptions does, and z.strictObject.',
        ]),
  ];
}
