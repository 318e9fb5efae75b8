import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { foundChromium } from './test/browser/chromium-provider.ts';

export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    // Most tests wait for real servers and processes rather than compute; two workers fill two cores.
    maxWorkers: 3,
    // A test that leaves the developer's own data folder alone also proves nothing depends on it.
    env: { PARLEY_NO_OPEN: '1', NO_COLOR: '1' },
    // Browsers say so whenever something measured changes what is measured; it is measured again a moment later.
    onConsoleLog: (log) => !log.includes('ResizeObserver loop completed'),
    projects: [
      // Tests use servers, programs and browsers in processes of their own and leave nothing behind: files share their
      // worker, which then loads what they have in common once.
      { extends: true, test: { name: 'node', include: ['test/**/*.test.ts'], isolate: false } },
      {
        extends: true,
        plugins: [react(), tailwindcss()],
        // All that the app uses is prepared at once: what turned up later would load the page of a running test anew.
        optimizeDeps: { entries: ['web/main.tsx'], include: ['fast-check'] },
        test: {
          name: 'component',
          include: ['test/component/**/*.test.tsx'],
          testTimeout: 10_000,
          setupFiles: ['test/component/setup.ts'],
          browser: {
            enabled: true,
            headless: true,
            provider: foundChromium(),
            instances: [{ browser: 'chromium' }],
            viewport: { width: 900, height: 700 },
            screenshotFailures: false,
          },
        },
      },
    ],
  },
});
