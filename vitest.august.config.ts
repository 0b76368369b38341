import { defineConfig } from 'vitest/config';
import { vitestDefaults } from './test/support/environment/vitest-defaults.ts';

/** Tests of what a server of August 2026 does not have. Everything else must be the same there. */
const NOT_IN_AUGUST: Readonly<Record<string, RegExp>> = {
  'a GPU pod shows no vCPUs and no memory': /list-wide-200|get-gpu-(80|plain)/,
  'there are no builds': /says 'build-failed'|says 'healthy': \/\^healthy\/$/,
};

/** Files whose every test is about such things (secrets, builds, pages), or about ssh alone, which no contract describes. */
const FILES = ['secrets/secrets', 'endpoints/builds', 'every-list', 'pods/reach/*'];

const names = Object.values(NOT_IN_AUGUST).map(({ source }) => source);

/** `npm run august`: tests of commands, with local services that answer the contract of August 2026 (`--contract august`). */
export default defineConfig({
  test: {
    ...vitestDefaults,
    isolate: false,
    env: { BERTH_TEST_CONTRACT: 'august' },
    include: [
      'test/unit/commands/{account,catalog,clusters,endpoints,pods,registries,templates,volumes}/**/*.test.ts',
      'test/unit/commands/explain/{endpoints,pods}.test.ts',
    ],
    exclude: FILES.map((name) => `test/unit/commands/${name}.test.ts`),
    testNamePattern: new RegExp(`^(?!.*(?:${names.join('|')}))`),
  },
});
