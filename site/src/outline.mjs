/**
 * @typedef {object} Section
 * @property {string} title
 * @property {string[]} routes Addresses of pages. A pattern takes the pages that no other line names, by their names.
 * @property {boolean} [collapsed]
 */

/**
 * The pages of the site in the order of its sidebar: the one list. A new page in docs/ and the README of a new package
 * fall under a pattern, so they need a line here only if their place matters.
 * @type {Section[]}
 */
export const outline = [
  { title: 'Train', routes: ['overview', 'training', 'observability', 'using-models', '*', 'coming-from'] },
  { title: 'Write hooks', routes: ['writing-a-hook', 'events', 'examples/recipes'] },
  {
    title: 'Hooks to install',
    routes: [
      'hooks/progress',
      'hooks/logging',
      'hooks/early-stopping',
      'hooks/checkpoint',
      'hooks/lr-monitor',
      'hooks/*',
    ],
  },
  { title: 'Promises', routes: ['reliability', 'security', 'performance', 'benchmarks'] },
  { title: 'Examples', routes: ['examples/*'] },
  {
    title: 'Packages',
    collapsed: true,
    routes: ['packages/trainer', 'packages/hook-api', 'packages/*'],
  },
  {
    title: 'Contribute',
    collapsed: true,
    routes: ['contributing', 'architecture', 'decisions/*', 'code-of-conduct', 'security-policy'],
  },
];
