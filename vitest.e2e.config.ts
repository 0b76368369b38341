import { defineConfig } from 'vitest/config';

/** The installed program, from outside: whole processes, real terminals. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    globalSetup: ['test/support/files/temporary-root.ts', 'test/e2e/install.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
