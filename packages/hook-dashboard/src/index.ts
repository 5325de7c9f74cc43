export { dashboard } from './dashboard.js';
export type { DashboardOptions } from './options.js';
export type { Act, Controls } from './server/acts.js';
export { type Dashboard, openDashboard, type ServeOptions } from './server/open-dashboard.js';
