import path from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `PARLEY_URL` names the server whose API the development server shows; the built files are served by Parley itself. */
const server = process.env.PARLEY_URL ?? 'http://127.0.0.1:4747';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  build: {
    outDir: process.env.PARLEY_WEB_OUT ?? path.resolve(import.meta.dirname, '../dist-web'),
    emptyOutDir: true,
    target: 'es2023',
    // The page's policy allows no inline script, and nothing that is not a file of ours.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  worker: { format: 'es' },
  server: { proxy: { '/api': server, '/health': server } },
});
