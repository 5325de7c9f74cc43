import { defineHook } from '@hookline/hook-api';

/** Takes part in every update and changes none: where an update hook of your own begins. */
export const identityUpdate = defineHook({
  name: 'identity-update',
  transformGradients: (_ctx, { gradients }) => gradients,
});
