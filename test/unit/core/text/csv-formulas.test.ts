import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withApostrophe } from '../../../../src/output/formats/csv.ts';

const texts = fc.array(fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '＝', 'a', '1', ' ', ',', '"'), {
  maxLength: 6,
});

test('an apostrophe is put before each text that a spreadsheet would run', () => {
  for (const first of ['=', '+', '-', '@', '\t', '\r', '\n']) expect(withApostrophe(`${first}1`)).toBe(`'${first}1`);
  expect(withApostrophe("'tis")).toBe("'tis");
  fc.assert(
    fc.property(texts, (characters) => {
      expect(withApostrophe(characters.join(''))).not.toMatch(/^[=+\-@\t\r\n＝]/);
    }),
  );
});
