import { defineConfig } from 'vitest/config';
import { vitestDefaults } from './test/support/environment/vitest-defaults.ts';

export default defineConfig({
  test: { ...vitestDefaults, include: ['test/{unit,contract,golden,faults}/**/*.test.ts'] },
});
