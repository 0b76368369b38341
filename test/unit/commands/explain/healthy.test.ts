import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAccount, local, type Account } from '../../../support/worlds/local-account.ts';
import { explain } from './explain-fixture.ts';

/** Something that a user does, or that time does, and after which everything is well. */
type Step = (account: Account, jobs: string[]) => Promise<unknown>;

/** Endpoints whose jobs complete. */
const ENDPOINTS = ['echo', 'demo', 'sleep', 'stream'] as const;

const endpoint = fc.constantFrom(...ENDPOINTS);

const submit: fc.Arbitrary<Step> = fc
  .record({ to: endpoint, count: fc.integer({ min: 1, max: 6 }), seconds: fc.integer({ min: 0, max: 120 }) })
  .map(({ to, count, seconds }) => async (account, jobs) => {
    for (let each = 0; each < count; each++)
      jobs.push(`${to} ${await local(account, `jobs run ${to} --input '{"seconds":${String(seconds)},"chunks":9}'`)}`);
  });

/** Less than the retention of results, so that no job expires between two steps that follow one another. */
const advance: fc.Arbitrary<Step> = fc
  .integer({ min: 0, max: 240 })
  .map((seconds) => async (account) => local(account, `local clock advance ${String(seconds)}s`));

const scale: fc.Arbitrary<Step> = fc
  .record({
    of: endpoint,
    max: fc.integer({ min: 1, max: 5 }),
    min: fc.integer({ min: 0, max: 1 }),
    by: fc.constantFrom('--queue-delay 1s', '--queue-delay 30s', '--request-count 3'),
  })
  .map(
    ({ of, max, min, by }) =>
      async (account) =>
        local(account, `endpoints update ${of} --workers-max ${String(max)} --workers-min ${String(min)} ${by}`),
  );

const release: fc.Arbitrary<Step> = fc.record({ of: endpoint, version: fc.integer({ min: 2, max: 9 }) }).map(
  ({ of, version }) =>
    async (account) =>
      local(account, `endpoints update ${of} --image example/${of}:${String(version)}`),
);

const startPod: fc.Arbitrary<Step> = fc
  .constantFrom('--gpu GPU-24G', '--cpu cpu-general --vcpu 2')
  .map((hardware) => async (account) => local(account, `pods create --name p --image a/b:1 ${hardware} -o id`));

const step = fc.oneof({ weight: 3, arbitrary: submit }, { weight: 3, arbitrary: advance }, scale, release, startPod);

test('a healthy state yields "healthy", and no other cause is named', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const account = createAccount();
      const jobs: string[] = [];
      for (const each of steps) await each(account, jobs);
      const asked = [
        // One, and first: while the log of a worker is read, the clock of the test may pass the retention of the others.
        ...jobs.slice(-1).map((job) => `jobs explain ${job}`),
        ...ENDPOINTS.map((id) => `endpoints explain ${id}`),
        ...(await local(account, 'pods list --status RUNNING --status PROVISIONING -o id'))
          .split('\n')
          // Held in this status on purpose, and slow after a while.
          .filter((id) => id !== '' && id !== 'pod-provisioning')
          .map((id) => `pods explain ${id}`),
      ];
      for (const line of asked) {
        const { code, state, cure, exit } = await explain(account, line);
        const expected = line.startsWith('jobs') ? /^(healthy|completed)$/ : /^healthy$/;
        expect({ line, code, state, cure, exit }).toEqual({
          line,
          code: expect.stringMatching(expected) as string,
          state: 'ok',
          cure: [],
          exit: 0,
        });
      }
    }),
    { numRuns: 5 },
  );
});
