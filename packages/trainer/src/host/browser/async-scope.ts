import type { AsyncScope } from '../contract.js';

/**
 * A browser cannot follow code across waits. The sections of a run follow one another, so the latest one that has not
 * ended counts; whatever else the page does meanwhile counts as inside.
 */
export function createAsyncScope(): AsyncScope {
  let current: boolean | undefined;
  return {
    get: () => current,
    run: (value, section) => {
      const before = current;
      current = value;
      const leave = () => {
        current = before;
      };
      let isWaiting = false;
      try {
        const result = section();
        if (result instanceof Promise) {
          isWaiting = true;
          result.then(leave, leave);
        }
        return result;
      } finally {
        if (!isWaiting) leave();
      }
    },
    end: () => {
      current = undefined;
    },
  };
}
