export { type ConnectOptions, connect } from './connect.js';
