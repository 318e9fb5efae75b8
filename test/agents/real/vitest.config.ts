import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.real.ts'],
    // Real programs take seconds to start.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    env: { PARLEY_NO_OPEN: '1', NO_COLOR: '1' },
  },
});
