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
  await buildDiagramFrame(draft);
  packFiles(draft);
  writeFileSync(path.join(draft, STATE_FILE), state);
  chmodSync(draft, 0o755);
  rmSync(TARGET, { recursive: true, force: true });
  renameSync(draft, TARGET);
} finally {
  rmSync(draft, { recursive: true, force: true });
}

/**
 * One script that is no module: a page without an origin cannot load modules. The licences are written in the folder of
 * the app and put together with its own.
 */
async function buildDiagramFrame(folder: string): Promise<void> {
  const licences = path.join(folder, 'LICENSES.md');
  const ofApp = readFileSync(licences, 'utf8');
  await build({
    configFile: false,
    root: path.join(ROOT, 'web'),
    publicDir: false,
    logLevel: 'error',
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: 'es2023',
      reportCompressedSize: false,
      chunkSizeWarningLimit: 10_000,
      license: { fileName: 'LICENSES.md' },
      rolldownOptions: {
        input: path.join(ROOT, 'web', 'frames', 'diagram.ts'),
        output: { format: 'iife', codeSplitting: false, entryFileNames: 'diagram-frame.js' },
      },
    },
  });
  writeFileSync(licences, `${ofApp}\n${readFileSync(licences, 'utf8')}`);
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
