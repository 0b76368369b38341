import { expect, test } from 'vitest';
import { createAccount, local, type Account } from '../../../support/worlds/local-account.ts';
import { works } from '../../../support/worlds/expect-run.ts';
import { json } from '../../../support/servers/scripted-server.ts';

/** Puts a build to the endpoint `demo`, as a service that builds images would. */
const put = (account: Account, build: object): Promise<string> =>
  local(account, `api POST /local/builds/demo --input '${JSON.stringify(build)}'`);

const FAILED = {
  id: 'build-2',
  status: 'FAILED',
  branch: 'main',
  commitHash: '0123456789abcdef',
  commitMessage: 'use CUDA 13',
  error: 'step 4: no such package',
};

test('builds are listed newest first, with the commit in short, and shown with the reason of a failure', async () => {
  const account = createAccount();
  await put(account, { id: 'build-1', status: 'COMPLETED', imageName: 'example/demo:1' });
  await local(account, 'local clock advance 1m');
  await put(account, FAILED);
  expect((await local(account, 'endpoints builds list demo')).split('\n')).toEqual([
    'ID\tSTATUS\tBRANCH\tCOMMIT\tMESSAGE\tSTARTED',
    expect.stringMatching(/^build-2\tFAILED\tmain\t01234567\tuse CUDA 13\t/),
    expect.stringMatching(/^build-1\tCOMPLETED\t-\t-\t-\t/),
  ]);
  expect(await local(account, 'endpoints builds list demo --status completed -o id')).toBe('build-1');
  const limited = await account('endpoints builds list demo --limit 1 --json');
  expect(JSON.parse(limited.out)).toMatchObject([FAILED]);
  expect(limited.err).toContain('Shown: 1 build, because of --limit.');
  expect(await local(account, 'endpoints builds get demo build-2')).toContain('error\tstep 4: no such package\n');
  expect(JSON.parse(await local(account, 'endpoints builds get demo build-2 --json'))).toMatchObject(FAILED);
});

test.each([
  ['FAILED', 10],
  ['TEST_FAILED', 10],
  ['CANCELLED', 11],
  ['COMPLETED', 0],
  ['BUILDING', 0],
])('builds get --exit-status of a build that is %s ends %i', async (status, code) => {
  const account = createAccount();
  await put(account, { id: 'b', status });
  expect((await account('endpoints builds get demo b')).code).toBe(0);
  expect((await account('endpoints builds get demo b --exit-status')).code).toBe(code);
});

test('a watch ends when no build that it follows goes on, and an unknown status goes on', async () => {
  const build = (status: string) =>
    json({
      builds: [
        { id: 'b', status },
        { id: 'a', status: 'FAILED' },
      ],
    });
  const { server } = await works(
    ['endpoints', 'builds', 'list', 'ep1', '--watch', '-o', 'jsonl'],
    [build('BUILDING'), build('TESTING'), build('COMPLETED')],
  );
  expect(server.seen).toHaveLength(3);
  const one = await works(
    ['endpoints', 'builds', 'get', 'ep1', 'b', '--watch', '-o', 'jsonl'],
    [
      json({ id: 'b', status: 'UPLOADING' }),
      json({ id: 'b', status: 'a newer status' }),
      json({ id: 'b', status: 'TEST_FAILED' }),
    ],
  );
  expect(one.server.seen.map(({ url }) => url)).toEqual(Array(3).fill('/v2/serverless/ep1/builds/b'));
});
