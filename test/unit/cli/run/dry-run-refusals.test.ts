import { describe, expect, test } from 'vitest';
import { createAccount } from '../../../support/worlds/local-account.ts';

const POD = 'pods create --name x --image i';
const ENDPOINT = 'endpoints create --name x --image i';

/** What the service refuses, and what a dry run says of it. */
const REFUSED: readonly (readonly [line: string, exit: number, says: string])[] = [
  [`${POD} --gpu GPU-24G --min-cuda new`, 2, '--min-cuda "new" is no CUDA version'],
  [`${POD} --gpu GPU-24G --port 99999/tcp`, 2, '--port "99999/tcp" is no port and protocol'],
  [
    'pods create --name x --gpu GPU-24G --image https://hub.test/i:1',
    2,
    '--image "https://hub.test/i:1" is not the name',
  ],
  ['pods update pod-train --set image="i:1\\r"', 2, '--image "i:1\\r" is not the name of an image'],
  [`${ENDPOINT} --gpu-pool POOL-24G --env 'A B=1'`, 2, '--env "A B" cannot be the name of a variable'],
];

describe('a dry run of what the service refuses ends as the command does, and prints no request:', () => {
  test.each(REFUSED)('%s', async (line, exit, says) => {
    const account = createAccount();
    const { code, out, err } = await account(`${line} --dry-run`);
    expect([code, out], err).toEqual([exit, '']);
    expect(err.replace(/\s+/g, ' ')).toContain(says);
    expect((await account(line)).code).toBe(exit);
  });
});

describe('a dry run of apply', () => {
  const FILE = `
kind: pod
name: many
image: i
gpu: {id: GPU-24}
---
kind: volume
name: fast
size: 20
dataCenter: MARS-1
type: STANDARD
---
kind: pod
name: one
image: i
gpu: {id: GPU-24G}
`;

  test('refuses a port before anything is read, as apply and plan do', async () => {
    const options = { stdin: FILE.replace('image: i', 'image: i\nports: [99999/tcp]') };
    for (const line of ['apply - --dry-run', 'apply - --yes', 'plan -']) {
      const { code, err } = await createAccount()(line, options);
      expect([code, err], line).toEqual([2, expect.stringContaining('--port "99999/tcp" is no port and protocol')]);
    }
  });
});
