import { describe, expect, it } from 'vitest';
import { Failure } from '../../../../src/core/failure.ts';
import { isOnThisMachine, parseAddress, parseKeyAddress } from '../../../../src/core/addresses.ts';

const refusal = (text: string): Failure => {
  try {
    parseAddress(text, 'base-url');
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  throw new Error(`${text} was taken`);
};

describe('a base address', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com', ''],
    ['https://api.example.com/', 'https://api.example.com', ''],
    ['https://api.example.com/some/prefix', 'https://api.example.com', '/some/prefix'],
    ['https://api.example.com/some/prefix//', 'https://api.example.com', '/some/prefix'],
    ['HTTPS://API.Example.com:443/', 'https://api.example.com', ''],
    ['http://127.0.0.1:8181', 'http://127.0.0.1:8181', ''],
    ['http://[::1]:8181/x/', 'http://[::1]:8181', '/x'],
    ['https://[2001:db8::1]/', 'https://[2001:db8::1]', ''],
  ])('%s is parsed', (text, origin, prefix) => {
    expect(parseAddress(text, 'base-url')).toMatchObject({ origin, prefix });
  });

  it.each([
    ['api.example.com', 'not an http or https address'],
    ['ftp://api.example.com', 'not an http or https address'],
    ['', 'not an http or https address'],
    ['https://api.example.com/?', 'a query'],
    ['https://api.example.com/#top', 'a fragment'],
    ['https://user@api.example.com', 'a user name'],
  ])('%j is refused: %s', (text, reason) => {
    const failure = refusal(text);
    expect(failure.exit).toBe(2);
    expect(failure.message).toContain('base-url');
    expect(failure.message).toContain(reason);
  });

  it('never prints a password', () => {
    expect(JSON.stringify(refusal('https://me:hunter2@api.example.com').facts())).not.toContain('hunter2');
  });
});

describe('a key may be sent', () => {
  it.each([
    'https://api.example.com',
    'https://localhost.evil.test',
    'http://localhost:8181',
    'http://LOCALHOST',
    'http://127.0.0.1:8181',
    'http://127.8.9.10',
    'http://127.1',
    'http://[::1]:8181',
  ])('to %s', (text) => {
    expect(() => parseKeyAddress(text, 'base-url')).not.toThrow();
  });

  it.each([
    'http://api.example.com',
    'http://localhost.evil.test',
    'http://[::ffff:127.0.0.1]',
    'http://sub.localhost',
    'http://localhost.',
    'http://0.0.0.0',
    'http://[::2]',
  ])('not to %s', (text) => {
    expect(() => parseKeyAddress(text, 'base-url')).toThrow('plain http to another machine');
  });
});

it.each([
  ['http://127.0.0.1:4000', true],
  ['http://localhost:4000/prefix', true],
  ['http://[::1]:4000', true],
  ['https://127.0.0.1:4000', false],
  ['http://service.test', false],
  ['no address', false],
  [undefined, false],
])('%s may be a local service on this machine: %s', (address, expected) => {
  expect(isOnThisMachine(address)).toBe(expected);
});
