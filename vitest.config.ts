import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // Most tests wait for real servers and processes rather than compute; two workers fill two cores.
    maxWorkers: 2,
    // A test that leaves the developer's own data folder alone also proves nothing depends on it.
    env: { PARLEY_NO_OPEN: '1', NO_COLOR: '1' },
  },
});
