import { afterAll, describe, expect, it } from 'vitest';
import { berth } from '../support/cli.ts';
import { localFixture } from '../support/local.ts';
import { readContract, type Document } from './support/contract.ts';
import { HARMFUL, HOSTILE, hostile, withoutOwnControls } from './support/hostile.ts';
import { INVOCATIONS, type Invocation } from './support/invocations.ts';
import { record } from './support/recorder.ts';

// Row 15 of docs/faults.md: every string that any command is answered with would do something to a terminal.

const published = (await localFixture().send('GET', '/v2/openapi.json', undefined, null)).body as unknown as Document;
const recorder = await record(readContract(published), answerOf);
afterAll(() => {
  recorder.close();
});

/** Statuses stay as they are, so that what waits for one ends; all else is hostile, names of members too. */
function answerOf(value: unknown): unknown {
  return restore(value, hostile(value));
}

function restore(before: unknown, after: unknown): unknown {
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null) return after;
  if (Array.isArray(before)) return before.map((each, at) => restore(each, (after as unknown[])[at]));
  const whole = { ...after } as Record<string, unknown>;
  for (const [name, value] of Object.entries(before))
    whole[name] = KEPT.has(name) ? value : restore(value, (after as Record<string, unknown>)[name]);
  return whole;
}

const KEPT = new Set(['status', 'inProgress']);

const cases = Object.values(INVOCATIONS).flatMap((invocations) =>
  invocations.map((invocation) => [invocation.argv.join(' '), invocation] as const),
);

async function run({ argv, answers, stdin }: Invocation, format: string | undefined, tty: boolean) {
  recorder.take(answers);
  return await berth([...argv, '--no-input', '--verbose', ...(format === undefined ? [] : ['-o', format])], {
    tty,
    env: recorder.env,
    ...(stdin === undefined ? {} : { stdin }),
  });
}

describe('hostile strings in every answer', () => {
  it('are hostile', () => {
    expect(HOSTILE).toMatch(HARMFUL);
  });

  it.each(cases)('berth %s: harmless on a terminal in every format', async (_, invocation) => {
    for (const format of [undefined, 'table', 'wide', 'json', 'jsonl', 'yaml', 'csv', 'id']) {
      const { out, err } = await run(invocation, format, true);
      expect([format, withoutOwnControls(out + err)]).toEqual([format, expect.not.stringMatching(HARMFUL)]);
    }
  });

  it.each(cases)('berth %s: in a pipe, tables and all that is said are harmless', async (_, invocation) => {
    for (const format of [undefined, 'table', 'wide', 'id', 'json']) {
      const { out, err } = await run(invocation, format, false);
      expect([format, err]).toEqual([format, expect.not.stringMatching(HARMFUL)]);
      if (format !== 'json') expect([format, out]).toEqual([format, expect.not.stringMatching(HARMFUL)]);
      if (format !== 'json')
        expect([format, `\n${out}${err}`]).toEqual([format, expect.not.stringMatching(/\nFORGED/)]);
    }
  });
});
