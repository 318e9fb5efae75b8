// Whether `dist/` and `dist-web/` hold the sources as they are now. Plain JavaScript: the `parley` program asks at every start in a
// checkout, so it only looks at sizes and times.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const SOURCES = ['contract', 'client', 'server', 'cli'];
const WEB_SOURCES = ['contract', 'client', 'web'];
export const STATE_FILE = '.sources';

export function isBundleFresh(root) {
  return isFresh(path.join(root, 'dist'), () => sourcesState(root));
}

export function isWebFresh(root) {
  return isFresh(path.join(root, 'dist-web'), () => webState(root));
}

export function sourcesState(root) {
  return stateOf(root, SOURCES);
}

export function webState(root) {
  return stateOf(root, WEB_SOURCES);
}

function isFresh(folder, state) {
  try {
    return readFileSync(path.join(folder, STATE_FILE), 'utf8') === state();
  } catch {
    return false;
  }
}

function stateOf(root, folders) {
  const hash = createHash('sha256');
  for (const folder of folders) addFolder(hash, path.join(root, folder));
  addFile(hash, path.join(root, 'package-lock.json'));
  return hash.digest('hex');
}

function addFolder(hash, folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) addFolder(hash, place);
    else addFile(hash, place);
  }
}

function addFile(hash, file) {
  const { size, mtimeMs } = statSync(file);
  hash.update(`${file} ${size} ${mtimeMs}\n`);
}
