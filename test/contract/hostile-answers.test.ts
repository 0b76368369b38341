import { afterAll, describe, expect, it } from 'vitest';
import { createAutoAdvancingClock } from '../support/clocks/auto-advancing-clock.ts';
import { berth } from '../support/worlds/run-berth.ts';
import { readContract } from './support/contract.ts';
import { HARMFUL, HOSTILE, hostile, withoutOwnControls } from '../support/text/hostile.ts';
import { INVOCATIONS, type Invocation } from './support/invocations.ts';
import { record } from './support/recorder.ts';

// Row 15 of docs/faults.md: every string in the answer to any command tries to control a terminal.

const recorder = await record(await readContract(), answerOf);
afterAll(() => {
  recorder.close();
});

/**
 * Makes every string and member name hostile, except statuses, so that waits for a status end. Ids are left unchanged in
 * half of the runs, because a hostile id can end a command before it prints anything.
 */
function answerOf(value: unknown): unknown {
  return restore(value, hostile(value));
}

function restore(before: unknown, after: unknown): unknown {
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null) return after;
  if (Array.isArray(before)) return before.map((each, at) => restore(each, (after as unknown[])[at]));
  const whole = { ...after } as Record<string, unknown>;
  for (const [name, value] of Object.entries(before))
    whole[name] = kept.has(name) ? value : restore(value, (after as Record<string, unknown>)[name]);
  return whole;
}

const STATUSES = ['status', 'inProgress'];
let kept: ReadonlySet<string> = new Set(STATUSES);

const FORMATS = ['wide', 'json', 'jsonl', 'yaml', 'csv', 'id'];

/** The first of each command in a format as well: what writes a format is the same for every command. */
const cases = Object.values(INVOCATIONS).flatMap((invocations, command) =>
  invocations.map(
    (invocation, at) =>
      [invocation.argv.join(' '), invocation, at === 0 ? FORMATS[command % FORMATS.length] : undefined] as const,
  ),
);

interface Manner {
  readonly format: string | undefined;
  readonly ids: boolean;
  readonly tty: boolean;
}

async function run({ argv, answers, stdin }: Invocation, { format, ids, tty }: Manner) {
  // A stream asks again while answers are about another job.
  kept = new Set(ids && argv[1] !== 'stream' ? STATUSES : [...STATUSES, 'id']);
  recorder.take(answers);
  return await berth([...argv, '--no-input', '--verbose', ...(format === undefined ? [] : ['-o', format])], {
    tty,
    env: recorder.env,
    clock: createAutoAdvancingClock(),
    ...(stdin === undefined ? {} : { stdin }),
  });
}

describe('hostile strings in every answer', () => {
  it('are hostile', () => {
    expect(HOSTILE).toMatch(HARMFUL);
  });

  it.each(cases)('berth %s: no control character on a terminal', async (_, invocation, format) => {
    for (const used of format === undefined ? [undefined] : [undefined, format]) {
      const { out, err } = await run(invocation, { format: used, ids: used === undefined, tty: true });
      expect([used, withoutOwnControls(out + err)]).toEqual([used, expect.not.stringMatching(HARMFUL)]);
    }
  });

  it.each(cases)('berth %s: no control character in a pipe, in tables and messages', async (name, invocation) => {
    // Bytes as they came, for a program.
    const isRaw = name.includes('--raw-body');
    const { out, err } = await run(invocation, { format: 'wide', ids: name.length % 2 === 0, tty: false });
    expect(err).not.toMatch(HARMFUL);
    if (!isRaw) expect(out).not.toMatch(HARMFUL);
    expect(`\n${out}${err}`).not.toMatch(/\nFORGED/);
  });
});
