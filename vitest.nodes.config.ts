import { defineConfig } from 'vitest/config';
import { vitestDefaults } from './test/support/environment/vitest-defaults.ts';

/** The end-to-end tests of what differs by the version of Node: loading, caches, signals, streams, workers. */
const FILES = '{code-cache,loaded-modules,node-options,pipes,program,signals,workers/by-hand}';

/** What CI runs with another version of Node: BERTH_E2E_NODE names its program. `npm run node-trials` runs all. */
export default defineConfig({
  test: {
    ...vitestDefaults,
    isolate: false,
    include: [`test/e2e/${FILES}.test.ts`],
    globalSetup: [...vitestDefaults.globalSetup, 'test/e2e/install.ts'],
  },
});
