import { defineConfig } from 'vitest/config';
import { vitestDefaults } from './test/support/environment/vitest-defaults.ts';

export default defineConfig({
  test: {
    ...vitestDefaults,
    include: ['test/{unit,contract,golden,faults}/**/*.test.ts'],
    // Loading the sources for each file anew takes half of the time. No module has state, so a test file cannot leave any behind.
    isolate: false,
  },
});
