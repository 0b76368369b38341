import { afterAll, describe, expect, it } from 'vitest';
import { berth } from '../support/worlds/run-berth.ts';
import { localFixture } from '../support/local/service-fixture.ts';
import { readContract, type Document } from './support/contract.ts';
import { HARMFUL, HOSTILE, hostile, withoutOwnControls } from './support/hostile.ts';
import type { Invocation } from './support/invocation.ts';
import { INVOCATIONS } from './support/invocations.ts';
import { record } from './support/recorder.ts';

// Row 15 of docs/faults.md: every string in the answer to any command tries to control a terminal.

const published = (await localFixture().send('GET', '/v2/openapi.json', undefined, null)).body as unknown as Document;
const recorder = await record(readContract(published), answerOf);
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

const cases = Object.values(INVOCATIONS).flatMap((invocations) =>
  invocations.map((invocation) => [invocation.argv.join(' '), invocation] as const),
);

interface Manner {
  readonly format: string | undefined;
  readonly ids: boolean;
  readonly tty: boolean;
}

async function run({ argv, answers, stdin }: Invocation, { format, ids, tty }: Manner) {
  kept = new Set(ids ? STATUSES : [...STATUSES, 'id']);
  recorder.take(answers);
  return await berth([...argv, '--no-input', '--verbose', ...(format === undefined ? [] : ['-o', format])], {
    tty,
    env: recorder.env,
    ...(stdin === undefined ? {} : { stdin }),
  });
}

/** Runs a command as a person does and in other formats, with ids as they are and with hostile ones. */
async function* runsOf(invocation: Invocation, formats: readonly string[], tty: boolean) {
  for (const ids of [true, false]) {
    const first = await run(invocation, { format: undefined, ids, tty });
    yield { format: undefined, ...first };
    // It ended before the format of its output mattered: a failure is text or JSON.
    const endedEarly = first.code !== 0 && first.out === '';
    for (const format of endedEarly ? ['json'] : formats)
      yield { format, ...(await run(invocation, { format, ids, tty })) };
  }
}

describe('hostile strings in every answer', () => {
  it('are hostile', () => {
    expect(HOSTILE).toMatch(HARMFUL);
  });

  it.each(cases)('berth %s: no control character on a terminal, in every format', async (_, invocation) => {
    const formats = ['wide', 'json', 'jsonl', 'yaml', 'csv', 'id'];
    for await (const { format, out, err } of runsOf(invocation, formats, true))
      expect([format, withoutOwnControls(out + err)]).toEqual([format, expect.not.stringMatching(HARMFUL)]);
  });

  it.each(cases)('berth %s: no control character in a pipe, in tables and messages', async (name, invocation) => {
    // Bytes as they came, for a program.
    const isRaw = name.includes('--raw-body');
    for await (const { format, out, err } of runsOf(invocation, ['wide', 'id', 'json'], false)) {
      expect([format, err]).toEqual([format, expect.not.stringMatching(HARMFUL)]);
      if (format !== 'json' && !isRaw) expect([format, out]).toEqual([format, expect.not.stringMatching(HARMFUL)]);
      if (format !== 'json')
        expect([format, `\n${out}${err}`]).toEqual([format, expect.not.stringMatching(/\nFORGED/)]);
    }
  });
});
