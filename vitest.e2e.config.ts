import { defineConfig } from 'vitest/config';
import { vitestDefaults } from './test/support/environment/vitest-defaults.ts';

/** The installed program, from outside: whole processes, real terminals. */
export default defineConfig({
  test: {
    ...vitestDefaults,
    isolate: false,
    include: ['test/e2e/**/*.test.ts'],
    globalSetup: [...vitestDefaults.globalSetup, 'test/e2e/install.ts'],
  },
});
