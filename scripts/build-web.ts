// The web app, built into `dist-web/` for the server to serve. Made beside it and then put in its place, so that a
// server that runs never sees half of one.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib';
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
  packFiles(draft);
  writeFileSync(path.join(draft, STATE_FILE), state);
  chmodSync(draft, 0o755);
  rmSync(TARGET, { recursive: true, force: true });
  renameSync(draft, TARGET);
} finally {
  rmSync(draft, { recursive: true, force: true });
}

/** Compressed once here, better than a server would take the time for. */
function packFiles(folder: string): void {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter(({ name }) => /\.(?:js|css|html|svg|json|webmanifest|wasm)$/.test(name))) {
    const place = path.join(entry.parentPath, entry.name);
    const bytes = readFileSync(place);
    if (bytes.length < 1000) continue;
    writeFileSync(`${place}.br`, brotliCompressSync(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: 10 } }));
    writeFileSync(`${place}.gz`, gzipSync(bytes, { level: 9 }));
  }
}
