import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { namesOf, THIRTY_THINGS } from '../support/apply/thirty-things.ts';
import { forEachAtOnce, killedProgram, type Kill } from './killed-program.ts';
import { temporaryFolder } from './support.ts';

// SIGKILL of the installed program at a request of an apply of thirty things. BERTH_APPLY_KILLS=all kills it before and after
// each of its requests, otherwise at a few of them.

/** How many applies are under way at once. */
const AT_ONCE = 6;

const ALL = process.env['BERTH_APPLY_KILLS'] === 'all';

/** Applies with a kill, and again without; each thing is there once. Returns how many requests the first one sent. */
async function applyTwice(kill?: Kill): Promise<number> {
  const { run, remote, requests } = await killedProgram(kill);
  const file = path.join(await temporaryFolder(), 'fleet.yaml');
  writeFileSync(file, THIRTY_THINGS.text);
  const first = await run(['apply', file, '--yes']);
  const sent = requests();
  expect(first, first.err).toMatchObject(kill === undefined ? { code: 0 } : { signal: 'SIGKILL' });
  const second = await run(['apply', file, '--yes']);
  expect(second.code, second.err).toBe(0);
  const plan = await run(['plan', file]);
  expect(plan.code, plan.out).toBe(0);
  for (const [collection, names] of THIRTY_THINGS.names) expect(await namesOf(remote, collection)).toEqual(names);
  return sent;
}

test('an apply of thirty things that is killed at any request, and run again, makes each thing once', async () => {
  const requests = await applyTwice();
  expect(requests).toBeGreaterThan(30);
  const kills = Array.from({ length: requests }, (_, at) => [
    { at, after: false },
    { at, after: true },
  ]).flat();
  const some = kills.filter((_, index) => ALL || index % Math.floor(kills.length / AT_ONCE) === 1);
  await forEachAtOnce(some, AT_ONCE, async (kill) => {
    await applyTwice(kill);
  });
}, 0);
