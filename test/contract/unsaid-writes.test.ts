import { afterAll, describe, expect, it } from 'vitest';
import { commandsOf } from '../../src/cli/model/command.ts';
import { FLAGS, NOUNS } from '../../src/registry.ts';
import { berth } from '../support/worlds/run-berth.ts';
import { readContract } from './support/contract.ts';
import { INVOCATIONS } from './support/invocations.ts';
import { record } from './support/recorder.ts';

// A status of success proves nothing where the body does not say what the answer to a write must say.

let body = '';
const recorder = await record(
  await readContract(),
  (value) => value,
  () => body,
);
afterAll(() => {
  recorder.close();
});

/**
 * Commands whose answers have tests of their own: `api` sends any operation, and each answer is what it asked for; a guard
 * looks at a pod after such an answer (test/unit/commands/guard/doubt.test.ts), and `apply` at a list (test/unit/commands/apply).
 */
const APART = ['api', 'apply', 'guard run'];

/** Every other command that writes to the service, by its words. */
const WRITING = (await commandsOf({ nouns: NOUNS, flags: FLAGS }))
  .map(({ path, command }) => ({ words: path.join(' '), command }))
  .filter(({ words, command }) => command.writes && !APART.includes(words) && INVOCATIONS[words] !== undefined)
  .map(({ words }) => words);

/** No status of success is published for it, and no body. Any other DELETE says it by 204. */
const hasNothingToSay = (words: string): boolean => words.endsWith('revoke');

/** The answer is about something new, or about none. */
const hasNoId = (words: string): boolean => /create$|^jobs run$|^queue purge$/.test(words);

const OTHER_ID = '{"id":"another","status":"RUNNING","removed":1,"keys":[]}';
const WITHOUT: Readonly<Record<string, (words: string) => boolean>> = {
  '{}': hasNothingToSay,
  '': hasNothingToSay,
  null: () => false,
  '{"status":"RUNNING"}': hasNothingToSay,
  [OTHER_ID]: hasNoId,
};

/** The set of keys has no id, and is read again after it is written. */
const isApart = (words: string, answer: string): boolean => answer === OTHER_ID && words.startsWith('account ssh-keys');

const cases = WRITING.flatMap((words) =>
  Object.keys(WITHOUT).flatMap((answer) => (isApart(words, answer) ? [] : [[words, answer] as const])),
);

describe('an answer 200 to a write that does not say what was done', () => {
  it.each(cases)('berth %s, answered %s', async (words, answer) => {
    const [invocation] = INVOCATIONS[words] ?? [];
    if (invocation === undefined) throw new Error(`no invocation of ${words}`);
    recorder.take(invocation.answers);
    body = answer;
    const { stdin } = invocation;
    const argv = invocation.argv.filter((word) => word !== '--wait');
    const ran = await berth([...argv, '--no-input'], { env: recorder.env, ...(stdin === undefined ? {} : { stdin }) });
    if (WITHOUT[answer]?.(words) === true) expect([ran.code, ran.err]).toEqual([0, ran.err]);
    else
      expect([ran.code, ran.err]).toEqual([
        8,
        expect.stringMatching(/no readable answer came|may have happened|not 204|accepted the/),
      ]);
  });
});
