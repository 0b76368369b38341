import { expect, it } from 'vitest';
import { NOUNS } from '../../../../src/registry.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

/** The word with two letters in its middle swapped: `pdos`. */
function misspelt(word: string): string {
  const at = Math.max(1, Math.floor(word.length / 2) - 1);
  return word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2);
}

it('answers a misspelt noun with the right one, for every noun', async () => {
  for (const name of NOUNS.keys()) {
    if (misspelt(name) === name) continue;
    const { code, out, err } = await berth([misspelt(name), 'list', '--json']);
    expect([code, out]).toEqual([2, '']);
    expect((JSON.parse(err) as { error: { hint: string } }).error.hint).toMatch(
      new RegExp(`^Did you mean .*\\b${name}\\b`),
    );
  }
});

it.each([
  ['pod ls', 'pods list'],
  ['ps', 'pods list'],
  ['--json ps', '--json pods list'],
  ['pods describe pod-train', 'pods get pod-train'],
  ['whoami', 'auth status'],
  ['serverless list', 'endpoints list'],
  ['pods help ls', 'pods list --help'],
])('berth %s runs berth %s', async (words, command) => {
  const [ran, meant] = await Promise.all(
    [words, command].map((line) => berth(line.split(' '), { env: { BERTH_LOCAL: '1' } })),
  );
  expect(ran).toMatchObject({ code: meant?.code, err: '' });
  expect(ran?.out.split('\n')[0]).toBe(meant?.out.split('\n')[0]);
});

it.each([
  ['pods shwo', 'Did you mean get?'],
  ['jobs sohw demo x', 'Did you mean status?'],
  ['pods sta', 'Did you mean one of start, stop?'],
  ['pods gte pod-train --tail 3', 'Did you mean get?'],
  ['pods --tail 3', 'See `berth pods --help`.'],
  ['pods --jsno gte', 'Did you mean --json?'],
  ['pods zzzzz', 'See `berth pods --help`.'],
  // What must not run a verb that destroys.
  ['pods destroy x', 'See `berth pods --help`.'],
  ['constructor', 'See `berth --help`.'],
  ['pods create --datacenter X', 'Did you mean --data-center?'],
  ['endpoints create --max-workers 3', 'Did you mean --workers-max?'],
  ['endpoints create --workers 3', 'Did you mean one of --workers-max, --workers-min?'],
  ['pods list --constructor x', 'See `berth pods list --help`.'],
  ['pods list --status runing', 'Did you mean RUNNING?'],
  ['local fault add ratelimit', 'Did you mean rate-limit?'],
  ['--local pods get train', 'Did you mean train-llm?'],
  ['--local pods get TRAIN-LLM', 'Did you mean train-llm?'],
  ['--local jobs run deom --input {}', 'Did you mean demo?'],
  ['help pdos', 'Did you mean pods?'],
  ['help exit-code', 'See `berth --help`.'],
])('berth %s: %s', async (line, hint) => {
  const { code, err } = await berth(line.split(' '));
  expect([[2, 4].includes(code), err.split('\n')[1]]).toEqual([true, `  -> ${hint}`]);
});
