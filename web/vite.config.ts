import path from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** `PARLEY_URL` names the server whose API the development server shows; the built files are served by Parley itself. */
const server = process.env.PARLEY_URL ?? 'http://127.0.0.1:4747';

/** The app, and the page for whoever has nothing but a link: neither loads the other. */
const PAGES = ['index.html', 'shared.html'];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), sharedPage()],
  build: {
    rolldownOptions: { input: PAGES.map((page) => path.resolve(import.meta.dirname, page)) },
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

/** Under which paths the development server shows it: those under which Parley does. */
function sharedPage(): Plugin {
  return {
    name: 'shared-page',
    configureServer: ({ middlewares }) => {
      middlewares.use((request, _, next) => {
        if (request.url?.startsWith('/s/')) request.url = '/shared.html';
        next();
      });
    },
  };
}
