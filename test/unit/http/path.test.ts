import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../src/core/addresses.ts';
import { joinAddress } from '../../../src/http/request.ts';

const base = parseAddress('https://api.example.com/prefix/', 'base-url');

describe('joining an address', () => {
  it.each(['', '.', '..', 'a\0b', 'a\rb', 'a\nb', '\x7f', '\x85', '\ud800'])('%j is refused', (id) => {
    expect(() => joinAddress(base, ['v2', 'pods', id])).toThrow(expect.objectContaining({ exit: 2 }) as Error);
  });

  it('stays one segment and decodes to the same id, whatever the id holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (id) => {
        fc.pre(id !== '.' && id !== '..' && !/\p{Cc}/u.test(id) && !/\p{Cs}/u.test(id));
        const { pathname, search, hash, origin } = new URL(joinAddress(base, ['v2', id, 'logs']));
        const [, prefix, version, encoded = '', last, ...more] = pathname.split('/');
        expect([origin, prefix, version, last, more, search, hash]).toEqual([
          base.origin,
          'prefix',
          'v2',
          'logs',
          [],
          '',
          '',
        ]);
        expect(decodeURIComponent(encoded)).toBe(id);
      }),
    );
  });

  it('encodes a query and leaves out what is undefined', () => {
    const query = { include: 'A,B', wait: 1000, all: true, none: undefined, 'a&b': 'c=d&e #é' };
    const { searchParams } = new URL(joinAddress(base, ['v2'], query));
    expect([...searchParams]).toEqual([
      ['include', 'A,B'],
      ['wait', '1000'],
      ['all', 'true'],
      ['a&b', 'c=d&e #é'],
    ]);
  });
});
