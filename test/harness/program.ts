import path from 'node:path';
import { isBundleFresh } from '../../scripts/bundle-state.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * The `parley` program. `bin/parley.mjs` asks at every start whether the bundle is what the sources say; tests start it
 * thousands of times, and ask once.
 */
export const PROGRAM = path.join(ROOT, isBundleFresh(ROOT) ? 'dist/main.js' : 'bin/parley.mjs');
