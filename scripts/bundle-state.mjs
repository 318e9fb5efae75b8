// Whether `dist/` holds the sources as they are now. Plain JavaScript: the `parley` program asks at every start in a
// checkout, so it only looks at sizes and times.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const SOURCES = ['contract', 'client', 'server', 'cli'];
export const STATE_FILE = '.sources';

export function isBundleFresh(root) {
  try {
    return readFileSync(path.join(root, 'dist', STATE_FILE), 'utf8') === sourcesState(root);
  } catch {
    return false;
  }
}

export function sourcesState(root) {
  const hash = createHash('sha256');
  for (const folder of SOURCES) addFolder(hash, path.join(root, folder));
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
