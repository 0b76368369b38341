import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeJson,
  encodeJson,
  Exact,
  JsonSyntaxError,
  memberAt,
  memberSource,
  numberOf,
} from '../../../src/core/json.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('exact JSON', () => {
  it.each([
    ['9007199254740993'],
    ['[1e400,-1e400,1e-400]'],
    ['{"a":1.0,"b":-0,"c":0.1,"d":1E5}'],
    ['{"__proto__":{"x":1},"constructor":2}'],
    [nested(500)],
  ])('encodes what it decoded to the same text, case %#', (text) => {
    expect(encodeJson(decodeJson(text))).toBe(text);
  });

  it('keeps the digits of any number', () => {
    const digits = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.bigInt({ min: 0n, max: 10n ** 40n }),
        fc.option(fc.stringMatching(/^\d{1,30}$/)),
        fc.option(fc.integer({ min: -500, max: 500 })),
      )
      .map(
        ([sign, whole, fraction, power]) =>
          `${sign}${String(whole)}${fraction === null ? '' : `.${fraction}`}${power === null ? '' : `e${String(power)}`}`,
      );
    fc.assert(fc.property(digits, (text) => encodeJson(decodeJson(text)) === text));
  });

  it('uses the last of duplicate members', () => {
    expect(encodeJson(decodeJson('{"a":1,"a":{"b":2.0}}'))).toBe('{"a":{"b":2.0}}');
  });

  it('accepts a byte order mark', () => {
    expect(decodeJson('\uFEFF{"a":1}')).toEqual({ a: 1 });
  });

  it.each([
    ['{"a":NaN}', 1, 6],
    ['{"a":1,}', 1, 8],
    ['{\n "a": 1,\n "b" 2\n}', 3, 6],
    ['[1,\n2', 2, 2],
    ['', 1, 1],
    ['[1.0, 1.00,\n 1e400, nope]', 2, 9],
    ['{1.0:1}', 1, 2],
    [nested(100_000), 1, 501],
    ['[01.0]', 1, 3],
    ['[1.]', 1, 4],
  ])('names line and column of the error in %j', (text, line, column) => {
    try {
      decodeJson(text);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(JsonSyntaxError);
      expect(error).toMatchObject({ line, column });
    }
  });

  it.each([
    ['{"x":{"pods":1}, "p\\u006fds" : [1] , "pods":[2, {"pods":3}], "y":0}', '[2, {"pods":3}]'],
    ['{"a":"pods\\"\\\\","pods": -1.50e3 }', '-1.50e3'],
    ['\uFEFF{"pods":"]}"}', '"]}"'],
    ['{"x":1}', undefined],
    ['[{"pods":1}]', undefined],
  ])('the source of the member pods of %s is %s', (text, source) => {
    expect(memberSource(text, 'pods')).toBe(source);
  });

  it('reads members by path, and numbers in every form', () => {
    const value = decodeJson('{"a":[{"b":1.50}],"n":9007199254740993}');
    expect(numberOf(memberAt(value, 'a.0.b'))).toBe(1.5);
    expect(memberAt(value, 'n')).toEqual(new Exact('9007199254740993'));
    expect(memberAt(value, 'a.length')).toBeUndefined();
    expect(memberAt(value, 'toString')).toBeUndefined();
    expect(numberOf(decodeJson('1e400'))).toBeUndefined();
  });
});
