import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeText } from '../../../src/core/safe-text.ts';

describe('safe text', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', '\\x1b[31mred\\x1b[0m'],
    ['\u001b]52;c;aGk=\u0007', '\\x1b]52;c;aGk=\\x07'],
    ['\u009b31m', '\\x9b31m'],
    ['abc\u202etxt.exe', 'abc\\u202etxt.exe'],
    ['a\nb\tc\rd', 'a\\nb\\tc\\rd'],
    ['tag\u{e0041}', 'tag\\u{e0041}'],
    ['lone\ud800', 'lone\\ud800'],
    ['Ünïcødé 日本 👩‍💻', 'Ünïcødé 日本 👩‍💻'],
  ])('%j', (text, safe) => {
    expect(safeText(text)).toBe(safe);
  });

  it('keeps line feeds and tabs in multi-line text', () => {
    expect(safeText('a\n\tb\r', true)).toBe('a\n\tb\\r');
  });

  it('never contains a control character, whatever the input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // oxlint-disable-next-line no-control-regex -- the pattern matches control characters
        expect(safeText(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      }),
    );
  });
});
