export { makeFolderNow } from './node/make-folder.js';
