import { defineConfig } from 'vitest/config';
import { vitestDefaults } from './test/support/environment/vitest-defaults.ts';

/** End-to-end tests whose result does not depend on the version of Node, or that take minutes. `npm run node-trials` runs them too. */
const NOT_IN_CI = [
  // Minutes of kills and real waits, and of worker libraries.
  'apply-kill',
  'batch-kill',
  'create-kill',
  'files-trials',
  'notebook-walk',
  'reach-pods',
  'reports',
  'workers/{kill,library,own-worker,stop,trouble}',
  // The shells, the commands of the README, and what no file and no argument holds: other tests run the same code.
  'completion',
  'documents',
  'secret-values',
  'walkthrough',
  // The files of the image.
  'image',
  // It builds with the Node that runs the tests.
  'install-page',
  'package',
];

/** The part of the end-to-end tests that CI runs with each other version of Node: BERTH_E2E_NODE names its program. */
export default defineConfig({
  test: {
    ...vitestDefaults,
    isolate: false,
    include: ['test/e2e/**/*.test.ts'],
    exclude: NOT_IN_CI.map((name) => `test/e2e/${name}.test.ts`),
    globalSetup: [...vitestDefaults.globalSetup, 'test/e2e/install.ts'],
  },
});
