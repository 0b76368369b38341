import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{unit,contract,golden,faults}/**/*.test.ts'],
    globalSetup: ['test/support/files/temporary-root.ts'],
    // The tests hand their own clock to everything: what takes this long hangs.
    testTimeout: 20_000,
  },
});
