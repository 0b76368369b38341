import { berth, type Message, sentence } from '../../core/message.ts';
import type { ApiRequest, Method, ApiAnswer } from '../../core/api.ts';
import { FAULT_KINDS, FAULT_SETTINGS, SEEDS } from '../../core/fault-kinds.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound } from '../../core/failure.ts';
import { encodeJson, itemsAt, type Json, numberAt, objectAt, objectOf } from '../../core/json.ts';
import { formatDuration, parseDuration } from '../../core/units.ts';
import { ask, requireYes } from '../../cli/ask.ts';
import { defineCommand, defineGroup, yesOption } from '../../cli/model/command.ts';
import { arg, option } from '../../cli/model/params.ts';
import { text } from '../../output/cells.ts';
import { changeResult } from '../../cli/resource/change-result.ts';
import { memberHeader, memberLabel } from '../../cli/resource/fields.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { answerResult, type Result, type View } from '../../output/view.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';
import { CLEARED, CLOCK, FAULT, LOCAL_STATUS } from './schemas.ts';
import { manyOf } from '../../cli/model/output-schema.ts';

/** What a path names, for the error when there is none. */
const LISTS = {
  endpoint: berth`endpoints list`,
  pod: berth`pods list`,
  fault: berth`local fault list`,
} as const satisfies Readonly<Record<string, Message>>;

interface ControlRequest extends Pick<ApiRequest, 'body' | 'query' | 'expects'> {
  /** What the user named, and how. */
  readonly of?: readonly [noun: keyof typeof LISTS, word: string | undefined];
}

/** Explains a wrong key, a name that is none, and a service that is not local (it answers 404). */
export async function sendControl(
  ctx: CommandContext,
  method: Method,
  path: readonly string[],
  { of: [noun, word] = ['fault', undefined], ...options }: ControlRequest = {},
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
    if (word !== undefined && error.detail === `${noun} not found`)
      throw error.with({
        message: `there is no ${noun} ${JSON.stringify(word)}`,
        hint: sentence`See which there are: ${LISTS[noun]}`,
      });
    if (isNotFound(error))
      throw error.with({
        message: 'the address in use is not a local service',
        hint: sentence`Add --local for the one in this process, or start one: ${berth`local serve`}`,
      });
    throw error;
  }
}

/** Names the local service that changed: never one elsewhere, even if the settings name it. */
export function changed({ settings, output }: CommandContext, result: Result): Result {
  if (settings.get('quiet') && isTableOutput(output)) return { kind: 'nothing' };
  const from = settings.source('base-url') === 'profile' ? ` of the profile "${settings.profile}"` : '';
  const which = settings.local
    ? `in ${settings.text('data-dir') ?? ''}`
    : `at ${settings.text('base-url') ?? ''}${from}`;
  return { ...result, notes: [...(result.notes ?? []), `Changed: the local service ${which}.`] };
}

/** Members whose unit is in their name, as a label and a number of milliseconds. */
const DURATIONS: Readonly<Record<string, readonly [label: string, milliseconds: number]>> = {
  advancedMs: ['advanced', 1],
  latencyMs: ['latency', 1],
  retryAfter: ['retry after', 1000],
};

const labelOf = (member: string): string => DURATIONS[member]?.[0] ?? memberLabel(member);

const valueOf = (row: Json, member: string): string => {
  const value = numberAt(row, member);
  const [, milliseconds] = DURATIONS[member] ?? [];
  return milliseconds === undefined || value === undefined ? text(member)(row) : durationText(value * milliseconds);
};

/** Without rounding: `1m 30s`, `1500ms`. */
const durationText = (milliseconds: number): string =>
  milliseconds % 1000 === 0 ? formatDuration(milliseconds) : `${milliseconds}ms`;

const linesOf = (row: Json, omitted: readonly string[] = []) =>
  Object.keys(objectOf(row) ?? {})
    .filter((member) => !omitted.includes(member))
    .map((member) => ({ label: labelOf(member), value: valueOf(row, member) }));

export const membersView = (noun: string): View => ({
  noun: [noun, `${noun}s`],
  id: () => '',
  columns: [],
  detail: (row) => [{ lines: linesOf(row) }],
});

const jobs = (row: Json): string =>
  Object.entries(objectAt(row, 'jobs') ?? {})
    .map(([name, count]) => `${encodeJson(count ?? null)} ${name}`)
    .join(', ');

const faults = (row: Json): readonly string[] =>
  itemsAt(row, 'faults').map((each) => {
    const settings = linesOf(each, ['id', 'kind']).map(({ label, value }) => `, ${label} ${value}`);
    return `${text('id')(each)} ${text('kind')(each)}${settings.join('')}`;
  });

const NONE = { text: 'none', tone: 'quiet' } as const;

const statusView: View = {
  ...membersView('local service'),
  detail: (row) => [
    {
      lines: [
        ...linesOf(row, ['jobs', 'faults']),
        { label: 'jobs', value: jobs(row) || NONE },
        { label: 'faults', value: faults(row).length === 0 ? NONE : faults(row) },
      ],
    },
  ],
};

const clockView = membersView('clock');

const SETTING_MEMBERS = Object.keys(FAULT_SETTINGS);

const FAULT_MEMBERS = ['id', 'kind', 'count', 'probability', 'match', 'endpoint', 'detail', ...SETTING_MEMBERS];

const faultView: View = {
  noun: ['fault', 'faults'],
  id: text('id'),
  members: FAULT_MEMBERS,
  columns: FAULT_MEMBERS.map((name) => ({
    header: DURATIONS[name]?.[0].toUpperCase() ?? memberHeader(name),
    show: (row) => valueOf(row, name),
  })),
};

export const status = defineCommand({
  output: LOCAL_STATUS,
  summary: 'show what the local service contains, its time and its faults',
  examples: [['berth local status', 'its state in the data directory']],
  run: async (ctx) => answerResult(statusView, await sendControl(ctx, 'GET', ['status'])),
});

export const reset = defineCommand({
  output: LOCAL_STATUS,
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
    const { settings } = ctx;
    const where = settings.local ? `in ${settings.text('data-dir') ?? ''}` : `at ${settings.text('base-url') ?? ''}`;
    await ask(ctx, { line: `The local service ${where} will be reset. Lost: its pods, volumes, jobs and faults.` });
    const answer = await sendControl(ctx, 'POST', ['reset'], { query: { seed } });
    // The new account reuses pod ids, and what was just created or submitted is gone for good.
    await ctx.guard.write({});
    await ctx.lists.forget();
    await ctx.jobs.forget();
    return changed(ctx, answerResult(statusView, answer));
  },
});

export const clock = defineGroup("the local service's time: pods, jobs, retention and rate windows follow it", {
  show: defineCommand({
    output: CLOCK,
    summary: 'show its time',
    examples: [['berth local clock show', 'and how far it was moved']],
    run: async (ctx) => answerResult(clockView, await sendControl(ctx, 'GET', ['clock'])),
  }),
  advance: defineCommand({
    output: CLOCK,
    summary: 'move it forward',
    changesMachine: true,
    args: { time: arg.text('how far: 90s, 31m, 1h30m, or a number of seconds') },
    examples: [['berth local clock advance 31m', 'past the retention of a result']],
    run: async (ctx, { time }) => {
      const advanceMs = parseDuration(time, 's', 'TIME');
      const result = answerResult(clockView, await sendControl(ctx, 'POST', ['clock'], { body: { advanceMs } }));
      return changed(ctx, { ...result, notes: [`Moved forward by ${durationText(advanceMs)}.`] });
    },
  }),
});

export const fault = defineGroup('inject faults: 429, 5xx, latency, dropped connections', {
  add: defineCommand({
    output: FAULT,
    summary: 'make the next requests fail',
    changesMachine: true,
    details: 'docs/guides/local-service.md describes each kind.',
    args: { kind: arg.text('what happens', { choices: FAULT_KINDS }) },
    options: {
      count: option.count('how many requests it affects (default: all until cleared)', 1),
      probability: option.fraction('how likely it affects a request: above 0, up to 1', { metavar: 'P' }),
      match: option.text('only these: a method, the beginning of a path, or both', { metavar: 'METHOD/PATH' }),
      endpoint: option.text('only requests to this endpoint, and only its workers', {
        metavar: 'ENDPOINT',
        complete: ENDPOINTS,
      }),
      detail: option.text('the text that a refuse answers (default: there is no room)', { metavar: 'TEXT' }),
      status: option.count(FAULT_SETTINGS.status.help, FAULT_SETTINGS.status.minimum, {
        most: FAULT_SETTINGS.status.maximum,
      }),
      latency: option.duration(FAULT_SETTINGS.latencyMs.help, 's'),
      retryAfter: option.duration(FAULT_SETTINGS.retryAfter.help, 's'),
    },
    examples: [
      [
        `berth local fault add rate-limit --count 3 --match 'POST /v2/demo/run'`,
        'the next three submissions to demo are told to wait',
      ],
      ['berth local fault add worker-crash --count 1 --endpoint demo', 'a worker of demo dies in the middle of a job'],
    ],
    run: async (ctx, { latency: latencyMs, retryAfter, ...rest }) => {
      const seconds = retryAfter === undefined ? undefined : Math.ceil(retryAfter / 1000);
      const body = { ...rest, latencyMs, retryAfter: seconds };
      const answer = await sendControl(ctx, 'POST', ['fault'], { body, of: ['endpoint', rest.endpoint] });
      return changed(ctx, answerResult(faultView, answer));
    },
  }),
  list: defineCommand({
    output: manyOf(FAULT),
    summary: 'list the faults that are set',
    examples: [['berth local fault list', 'with what is left of each']],
    run: async (ctx) => {
      const { value } = await sendControl(ctx, 'GET', ['fault'], { expects: { list: 'faults' } });
      return { kind: 'many', view: faultView, values: itemsAt(value, 'faults') };
    },
  }),
  clear: defineCommand({
    output: CLEARED,
    summary: 'remove one fault, or all of them',
    changesMachine: true,
    examples: [['berth local fault clear', 'all of them']],
    args: { id: arg.optional('fault id') },
    run: async (ctx, { id }) => {
      await sendControl(ctx, 'DELETE', id === undefined ? ['fault'] : ['fault', id], { of: ['fault', id] });
      const notes = [id === undefined ? 'No faults are set now.' : `Fault ${id} is gone.`];
      return changed(ctx, changeResult(ctx, { cleared: id ?? 'all' }, notes));
    },
  }),
});
