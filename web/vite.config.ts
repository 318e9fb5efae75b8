import path from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** `PARLEY_URL` names the server whose API the development server shows; the built files are served by Parley itself. */
const server = process.env.PARLEY_URL ?? 'http://127.0.0.1:4747';

/** The app, and the page of a shared session: neither loads the other. */
const PAGES = ['index.html', 'shared.html'];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), sharedPage(), sessionScripts()],
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

/** The files of a script and of everything that it imports, and that these import. */
function withImports(script: Script, all: readonly Script[], found = new Set<string>()): Set<string> {
  if (found.has(script.fileName)) return found;
  found.add(script.fileName);
  for (const imported of all.filter(({ fileName }) => script.imports.includes(fileName)))
    withImports(imported, all, found);
  return found;
}

interface Script {
  readonly fileName: string;
  readonly imports: readonly string[];
}

/**
 * Names the scripts that only a session needs, in a `meta` element before `early.js`: it asks for them together with the
 * scripts of the app instead of after them.
 */
function sessionScripts(): Plugin {
  return {
    name: 'session-scripts',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle, filename }) => {
        if (!bundle || !filename.endsWith('index.html')) return html;
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const page = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/pages/session/session-page.tsx'));
        if (!page) throw new Error('The page of a session is no script of its own any more.');
        const scripts = [...withImports(page, chunks)].filter((file) => !html.includes(file));
        const content = scripts.map((file) => `/${file}`).join(' ');
        return html.replace('<script src="/early.js">', `<meta name="session-scripts" content="${content}" />\n    $&`);
      },
    },
  };
}
