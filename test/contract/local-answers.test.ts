import { describe, expect, it } from 'vitest';
import { EXPIRED_KEY, JOBS_ONLY_KEY } from '../../src/local/http/auth.ts';
import { localFixture, type Answer } from '../support/local/service-fixture.ts';
import { ask, prepare, type Case } from './cases/case.ts';
import { CASES } from './cases/index.ts';
import { readPublished } from './support/published.ts';

const { operations, objections } = await readPublished();

const answerTo = async (one: Case, key?: string | null): Promise<Answer> => {
  const { send } = localFixture();
  await prepare(send, one);
  return ask(send, one, key);
};

describe('every answer matches the published document', () => {
  it.each(CASES)('$id $request $status', async (one) => {
    const answer = await answerTo(one);
    expect([answer.status, answer.text]).toEqual([one.status, answer.text]);
    expect(objections(one.id, answer)).toBeUndefined();
    // A body that is too large is refused before the key is read (additions 3).
    const hasRates = one.status !== 413;
    expect([answer.headers.has('ratelimit'), answer.headers.has('ratelimit-policy')]).toEqual([hasRates, hasRates]);
  });

  it.each([...operations.keys()])('%s: 401, 403 and 429 too', async (id) => {
    const one = CASES.find((known) => known.id === id);
    if (one === undefined) throw new Error(`no case for ${id}`);
    const limited = localFixture({ quota: { minute: 0 } });
    const answers = [
      await answerTo(one, null),
      await answerTo(one, EXPIRED_KEY),
      await answerTo(one, JOBS_ONLY_KEY),
      await ask(limited.send, one),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 403, 429]);
    for (const answer of answers) expect(objections(id, answer)).toBeUndefined();
  });

  it('there is a case for every status that the contract has for an implemented operation', () => {
    const uncovered = [...operations].flatMap(([id, responses]) =>
      Object.keys(responses)
        .filter((status) => !['401', '403', '429', 'default'].includes(status))
        .filter((status) => !CASES.some((one) => one.id === id && String(one.status) === status))
        .map((status) => `${id} ${status}`),
    );
    expect(uncovered).toEqual([]);
  });
});
