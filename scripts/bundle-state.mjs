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

/** One hash of all lines, and plain paths: asked at every start, there are nine hundred files. */
function stateOf(root, folders) {
  const lines = [
    ...folders.flatMap((folder) => folderLines(`${root}/${folder}`)),
    fileLine(`${root}/package-lock.json`),
  ];
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

function folderLines(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const place = `${folder}/${entry.name}`;
    return entry.isDirectory() ? folderLines(place) : [fileLine(place)];
  });
}

function fileLine(file) {
  const { size, mtimeMs } = statSync(file);
  return `${file} ${size} ${mtimeMs}`;
}
