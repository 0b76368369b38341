import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeJson, type Json } from '../../../../src/core/json.ts';
import { canonicalRows, canonicalValue, indentCanonical } from '../../../../src/output/formats/unchanged-json.ts';
import { indentJson } from '../../../../src/output/formats/json-layout.ts';

test('a text as JSON.stringify writes it is indented as token by token', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      const found = canonicalValue(decodeJson(text), text);
      expect(found?.text).toBe(text);
      if (found !== undefined) expect(indentCanonical(found)).toBe(indentJson(text));
    }),
  );
});

test.each([
  '{"a": 1}',
  '{"a":1.0}',
  '{"a":9007199254740993}',
  '{"a":1e2}',
  '{"a":"\\u0061"}',
  '{"a":"\\/"}',
  '{"a":1,"a":1}',
  '{"2":0,"1":0}',
  '[-0]',
])('%s is not, because encoding its value would change it', (text) => {
  expect(canonicalValue(decodeJson(text), text)).toBeUndefined();
});

test('a value that is nested deeper than the layout indents is left to the layout', () => {
  const text = `${'['.repeat(70)}${']'.repeat(70)}`;
  const found = canonicalValue(decodeJson(text), text);
  expect(found).toBeDefined();
  if (found !== undefined) expect(indentCanonical(found)).toBeUndefined();
});

const rows: readonly Json[] = [{ id: 'a' }, { id: 'b' }];
const text = JSON.stringify(rows);

test.each([
  ['the only member', `{"pods":${text}}`],
  ['beside others', `{"next": null, "pods":${text}, "n" : 1.0}`],
  ['with another spelling of the name', `{"p\\u006fds":${text}}`],
])('rows are found in a document: %s', (_, source) => {
  expect(canonicalRows(rows, source, 'pods')).toEqual({ value: rows, text });
});

test.each([
  ['under another member', `{"other":${text},"pods":[{"id":"\\u0061"},{"id":"b"}]}`],
  ['in an inner member', `{"inner":{"pods":${text}}}`],
  ['in a member that is written again', `{"pods":${text},"pods":[{"id": "a"},{"id":"b"}]}`],
  ['with white space', '{"pods":[{"id":"a"}, {"id":"b"}]}'],
])('rows are not taken from elsewhere: %s', (_, source) => {
  expect(canonicalRows(rows, source, 'pods')).toBeUndefined();
});
