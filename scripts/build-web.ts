// The web app, built into `dist-web/` for the server to serve. Made beside it and then put in its place, so that a
// server that runs never sees half of one.
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';
import { STATE_FILE, webState } from './bundle-state.mjs';

const ROOT = path.resolve(import.meta.dirname, '..');
const TARGET = path.join(ROOT, 'dist-web');

const state = webState(ROOT);
const draft = mkdtempSync(`${TARGET}-`);
try {
  await build({
    configFile: path.join(ROOT, 'web', 'vite.config.ts'),
    logLevel: 'error',
    // The licences of what is bundled ask to come along.
    build: { outDir: draft, emptyOutDir: true, license: { fileName: 'LICENSES.md' } },
  });
  writeFileSync(path.join(draft, STATE_FILE), state);
  chmodSync(draft, 0o755);
  rmSync(TARGET, { recursive: true, force: true });
  renameSync(draft, TARGET);
} finally {
  rmSync(draft, { recursive: true, force: true });
}
