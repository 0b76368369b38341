import ssh2 from 'ssh2';
import { expect, test } from 'vitest';
import { makeHostKey } from '../../../../src/host/pods/ssh-server.ts';

const { utils } = ssh2;

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
