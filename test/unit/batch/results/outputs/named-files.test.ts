import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fileNameOf } from '../../../../../src/batch/results/outputs/named-files.ts';

describe('the name of a downloaded file', () => {
  test('is safe, whatever the address is', () => {
    fc.assert(
      fc.property(fc.webPath(), fc.string(), fc.nat(), (path, more, item) => {
        const url = new URL(`https://x.example${path}`);
        url.pathname += encodeURIComponent(Buffer.from(more).toString());
        const name = fileNameOf({ item, index: 1, address: '' }, url);
        expect(name).toMatch(/^\d{6,}-1-[A-Za-z0-9_-][A-Za-z0-9._-]*$|^\d{6,}-1-file$/);
        expect(name.length).toBeLessThan(120);
      }),
    );
    const names = [
      'https://x.example/..%2f..%2fetc%2fpasswd',
      'https://x.example/',
      'https://x.example/%00.png',
      'https://x.example/%',
    ];
    expect(names.map((address) => fileNameOf({ item: 7, index: 2, address }, new URL(address)))).toEqual([
      '000007-2-etc_passwd',
      '000007-2-file',
      '000007-2-png',
      '000007-2-file',
    ]);
  });
});
