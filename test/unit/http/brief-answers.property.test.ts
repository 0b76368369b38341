import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeJson } from '../../../src/core/json.ts';
import { isUsableId } from '../../../src/core/ids.ts';
import { readAnswer } from '../../../src/http/answer.ts';

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[\w.-]{0,30}$/), fc.string());

/** Answers to a submission in the usual form, nearly in it, and with other members. */
const answers = fc.oneof(
  fc.record({ id: text, status: text }).map((value) => JSON.stringify(value)),
  fc.tuple(text, text).map(([id, status]) => `{"id":"${id}","status":"${status}"}`),
  fc.record({ id: text, status: text, more: fc.jsonValue() }).map((value) => JSON.stringify(value)),
  fc.record({ status: text, id: text }, { noNullPrototype: true }).map((value) => JSON.stringify(value, undefined, 1)),
);

const read = (source: string) =>
  readAnswer(
    { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(source) },
    { service: 'queue', method: 'POST', path: ['v2', 'e', 'run'], expects: 'created' },
    1e6,
  );

test('every answer to a submission is read as its JSON, in the usual form and in any other', async () => {
  await fc.assert(
    fc.asyncProperty(answers, async (source) => {
      const answer = await read(source);
      let value: { readonly id?: unknown } | undefined;
      try {
        value = decodeJson(Buffer.from(source).toString()) as { readonly id?: unknown };
      } catch {
        expect(answer).toMatchObject({ kind: 'lost', stage: 'answered' });
        return;
      }
      if (typeof value.id === 'string' && isUsableId(value.id)) expect(answer).toMatchObject({ status: 200, value });
      else expect(answer).toMatchObject({ kind: 'lost', stage: 'answered' });
    }),
    { numRuns: 500 },
  );
});

test('an id is usable when it can be one segment of a path, whatever its characters are', () => {
  fc.assert(
    fc.property(text, (id) => {
      const isRefused = ['', '.', '..'].includes(id) || /[\p{Cc}\p{Cs}]/u.test(id);
      expect(isUsableId(id)).toBe(!isRefused);
    }),
  );
});
