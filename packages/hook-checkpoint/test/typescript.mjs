// For processes that start threads: `--import tsx` gives TypeScript to the first thread only.
import { register } from 'tsx/esm/api';

register();
