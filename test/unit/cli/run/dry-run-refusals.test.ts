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
