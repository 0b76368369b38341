import ssh2 from 'ssh2';
import { expect, test } from 'vitest';
import { makeHostKey } from '../../../../src/host/pods/ssh-server.ts';

const { utils } = ssh2;

test('each host key of a local pod can be read, though some of the package cannot', () => {
  const unreadable = (make: () => string): number => {
    let count = 0;
    for (let made = 0; made < 1000; made += 1) if (utils.parseKey(make()) instanceof Error) count += 1;
    return count;
  };
  expect(unreadable(() => makeHostKey(utils))).toBe(0);
});

test('a key that cannot be read is made again', () => {
  const made = ['not a key', utils.generateKeyPairSync('ed25519').private, 'not a key'];
  const keys = { private: '', public: '' };
  const key = makeHostKey({
    generateKeyPairSync: () => ({ ...keys, private: made.shift() ?? '' }),
    parseKey: (text) => (text === 'not a key' ? new Error('malformed') : []),
  } as Parameters<typeof makeHostKey>[0]);
  expect(key).toContain('OPENSSH PRIVATE KEY');
  expect(made).toEqual(['not a key']);
});
