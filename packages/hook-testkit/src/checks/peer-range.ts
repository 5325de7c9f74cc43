import { checkPeerRange, HOOK_API_VERSION } from '@hookline/hook-discovery';
import type { Check } from '../check.js';

const HOOK_API = '@hookline/hook-api';

export const peerRange: Check = {
  name: 'peer-range',
  promise: `its range of ${HOOK_API} includes the current version`,
  async run(subject) {
    const { json, file } = subject.package();
    const { dependencies } = json as { dependencies?: Record<string, string> };
    if (dependencies && HOOK_API in dependencies)
      return [
        `${file}: ${HOOK_API} is in dependencies. Make it a peer dependency, so that there is one copy of it.`,
      ];
    const { problem, warning } = checkPeerRange(json, String(json.name));
    const found = problem ?? warning;
    return found === undefined
      ? []
      : [
          `${file}: ${found.replace(/\. Install a version.*/, '.')} Write "peerDependencies": { "${HOOK_API}": "^${HOOK_API_VERSION}" }.`,
        ];
  },
};
