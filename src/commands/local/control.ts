/** The state of the local service: its contents, its clock, and what its pods use. */
import { ask, requireYes } from '../../cli/ask.ts';
import { COUNT, manyOf, mapOf, NUMBER, oneOf, ownObject, TEXT, TIME, WHOLE } from '../../cli/model/output-schema.ts';
import { defineCommand, defineGroup, yesOption } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { arg, option } from '../../cli/model/params.ts';
import { memberLabel } from '../../cli/resource/fields.ts';
import { PODS } from '../../cli/resource/collections.ts';
import type { ApiAnswer, ApiRequest, Method } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound } from '../../core/failure.ts';
import { FAULT_KINDS, FAULT_SETTINGS, SEEDS } from '../../core/fault-kinds.ts';
import { itemsAt, type Json, numberAt, objectAt, objectOf } from '../../core/json.ts';
import { berth, sentence } from '../../core/message.ts';
import { exactDuration, parseDuration } from '../../core/units.ts';
import { text } from '../../output/cells.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { answerResult, type Result, type View } from '../../output/view.ts';

/** Explains a wrong key, and a service that is not local: it answers 404. */
export async function sendControl(
  ctx: CommandContext,
  method: Method,
  path: readonly string[],
  options: Pick<ApiRequest, 'body' | 'query' | 'expects'> = {},
): Promise<ApiAnswer> {
  try {
    return await ctx.api.send({ service: 'base', method, path: ['local', ...path], ...options });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.exit === EXIT.denied && error.status !== undefined)
      throw error.with({
        message: 'the local service did not accept the key',
        hint: 'Use the one that it printed when it was started: export BERTH_API_KEY=...',
      });
    if (!isNotFound(error) || /^(endpoint|pod|fault) not found$/.test(error.detail ?? '')) throw error;
    throw error.with({
      message: 'the address in use is not a local service',
      hint: sentence`Add --local for the one in this process, or start one: ${berth`local serve`}`,
    });
  }
}

const placeOf = ({ settings }: CommandContext): string =>
  settings.local ? `in ${settings.text('data-dir') ?? ''}` : `at ${settings.text('base-url') ?? ''}`;

/** Names the local service that changed: the settings may name another one. */
export function changed(ctx: CommandContext, result: Result): Result {
  const { settings, output } = ctx;
  if (settings.get('quiet') && isTableOutput(output)) return { kind: 'nothing' };
  const from = settings.source('base-url') === 'profile' ? ` of the profile "${settings.profile}"` : '';
  return { ...result, notes: [...(result.notes ?? []), `Changed: the local service ${placeOf(ctx)}${from}.`] };
}

export const valueOf = (row: Json, member: string): string => {
  const value = numberAt(row, member);
  return member.endsWith('Ms') && value !== undefined ? exactDuration(value) : text(row, member);
};

const linesOf = (row: Json, omitted: readonly string[] = []) =>
  Object.keys(objectOf(row) ?? {})
    .filter((member) => !omitted.includes(member))
    .map((member) => ({ label: memberLabel(member.replace(/Ms$/, '')), value: valueOf(row, member) }));

export const membersView = (noun: string): View => ({
  noun: [noun, `${noun}s`],
  id: () => '',
  columns: [],
  detail: (row) => [{ lines: linesOf(row) }],
});

export const FAULT = ownObject(
  { id: TEXT, kind: oneOf(...FAULT_KINDS) },
  {
    count: COUNT,
    probability: NUMBER,
    match: TEXT,
    endpoint: TEXT,
    detail: TEXT,
    ...Object.fromEntries(Object.keys(FAULT_SETTINGS).map((member) => [member, WHOLE])),
  },
);

const CLOCK_MEMBERS = { now: TIME, advancedMs: WHOLE };
const CLOCK = ownObject(CLOCK_MEMBERS);

export const CLEARED = ownObject({ cleared: TEXT });

const LOCAL_STATUS = ownObject({
  ...CLOCK_MEMBERS,
  pods: COUNT,
  clusters: COUNT,
  endpoints: COUNT,
  templates: COUNT,
  networkVolumes: COUNT,
  registries: COUNT,
  delegations: COUNT,
  jobs: mapOf(COUNT),
  faults: manyOf(FAULT),
});

const statusView: View = {
  ...membersView('local service'),
  detail: (row) => {
    const jobs = Object.keys(objectAt(row, 'jobs') ?? {}).map((name) => `${text(row, `jobs.${name}`)} ${name}`);
    const faults = itemsAt(row, 'faults').map((fault) => {
      const settings = linesOf(fault, ['id', 'kind']).map(({ label, value }) => `, ${label} ${value}`);
      return `${text(fault, 'id')} ${text(fault, 'kind')}${settings.join('')}`;
    });
    return [
      {
        lines: [
          ...linesOf(row, ['jobs', 'faults']),
          { label: 'jobs', value: jobs.join(', ') || 'none' },
          { label: 'faults', value: faults.length === 0 ? 'none' : faults },
        ],
      },
    ];
  },
};

export const status = defineCommand({
  output: () => LOCAL_STATUS,
  summary: 'show what the local service contains, its time and its faults',
  examples: [['berth local status', 'its state in the data directory']],
  run: async (ctx) => answerResult(statusView, await sendControl(ctx, 'GET', ['status'])),
});

export const reset = defineCommand({
  output: () => LOCAL_STATUS,
  summary: 'delete everything and start over with the seeded account',
  changesMachine: true,
  options: {
    seed: option.choice('what the new account contains; `odd` has names hard to print', SEEDS, { initial: 'plain' }),
    yes: yesOption,
  },
  destroys: true,
  examples: [
    ['berth local reset --yes', 'without a question, for scripts'],
    ['berth local reset --seed odd --yes', 'to try how a program shows long names and control characters'],
  ],
  run: async (ctx, { seed }) => {
    requireYes(ctx);
    await ask(ctx, {
      line: `The local service ${placeOf(ctx)} will be reset. Lost: its pods, volumes, jobs and faults.`,
    });
    const answer = await sendControl(ctx, 'POST', ['reset'], { query: { seed } });
    // The new account reuses pod ids, and what was just created or submitted is gone for good.
    await ctx.guard.write({});
    await ctx.lists.forget();
    await ctx.jobs.forget();
    return changed(ctx, answerResult(statusView, answer));
  },
});

const clockView = membersView('clock');

export const clock = defineGroup("the local service's time: pods, jobs, retention and rate windows follow it", {
  show: defineCommand({
    output: () => CLOCK,
    summary: 'show its time',
    examples: [['berth local clock show', 'and how far it was moved']],
    run: async (ctx) => answerResult(clockView, await sendControl(ctx, 'GET', ['clock'])),
  }),
  advance: defineCommand({
    output: () => CLOCK,
    summary: 'move it forward',
    changesMachine: true,
    args: { time: arg.text('how far: 90s, 31m, 1h30m, or a number of seconds') },
    examples: [['berth local clock advance 31m', 'past the retention of a result']],
    run: async (ctx, { time }) => {
      const body = { advanceMs: parseDuration(time, 's', 'TIME') };
      return changed(ctx, answerResult(clockView, await sendControl(ctx, 'POST', ['clock'], { body })));
    },
  }),
});

const percent = (summary: string) => option.count(summary, 0, { metavar: '%', most: 100 });

export const pods = defineGroup('what pods use: to see what happens when one is idle', {
  use: defineCommand({
    hidden: true,
    output: () => ownObject({ pod: TEXT }, { gpu: COUNT, cpu: COUNT, memory: COUNT, until: TIME }),
    summary: 'set how much of its GPUs, CPU and memory a pod uses',
    changesMachine: true,
    details: 'What is not given varies with the time, as in a new account; without a flag all of it does again.',
    args: { id: arg.text('the pod, by id or name', { metavar: 'POD', complete: PODS }) },
    options: {
      gpu: percent('use of each of its GPUs'),
      cpu: percent('use of its CPU'),
      memory: percent('use of its memory'),
      for: option.durationWithUnit('for so long; then it varies again (default: for good)'),
    },
    examples: [['berth local pods use pod-train --gpu 0 --cpu 1', 'it idles']],
    run: async (ctx, { id, for: forMs, ...use }) => {
      const answer = await sendControl(ctx, 'POST', ['pods', id, 'use'], { body: { ...use, forMs } });
      return changed(ctx, answerResult(membersView('use'), answer));
    },
  }),
});
