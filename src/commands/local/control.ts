import type { ApiRequest, Method } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { arrayOf, encodeJson, isObject, memberAt, numberOf, objectOf, type Json } from '../../core/json.ts';
import { formatDuration, parseDuration } from '../../core/units.ts';
import { defineCommand, defineGroup } from '../../cli/command.ts';
import { arg, option } from '../../cli/parse/params.ts';
import { text } from '../../output/layout/cells.ts';
import { memberHeader, memberLabel } from '../../cli/resource/detail-lines.ts';
import type { View } from '../../output/view.ts';

/** A request that only a local service understands; it has no counterpart in the contract. */
const control = (method: Method, path: readonly string[], body?: Json): ApiRequest => ({
  service: 'base',
  method,
  path: ['local', ...path],
  ...(body === undefined ? {} : { body }),
});

/** Any other service answers 404, and a served one wants its key: say what that means. */
function notLocal(error: unknown): never {
  if (error instanceof Failure && error.exit === EXIT.denied && error.status !== undefined)
    throw error.with({
      message: 'the local service did not accept the key',
      hint: 'Use the one that `berth local serve` printed: export BERTH_API_KEY=...',
    });
  if (error instanceof Failure && error.exit === EXIT.notFound)
    throw error.with({
      message: 'the address in use is not a local service',
      hint: 'Unset BERTH_BASE_URL to reach the one in this process, or start one with `berth local serve`.',
    });
  throw error;
}

interface Line {
  readonly label: string;
  readonly value: string;
}

/** The word for a member of a control answer, and how its value reads. Spans are shown as times with their units. */
function memberLine(row: Json, member: string): Line {
  const unit = MEMBER_UNITS.get(member);
  const value = numberOf(memberAt(row, member));
  return unit === undefined || value === undefined
    ? { label: memberLabel(member), value: text(member)(row) }
    : { label: unit.label, value: spanOf(value * unit.milliseconds) };
}

/** Members that are spans: what to call them without the unit, and the unit in milliseconds. */
const MEMBER_UNITS: ReadonlyMap<string, { readonly label: string; readonly milliseconds: number }> = new Map([
  ['advancedMs', { label: 'advanced', milliseconds: 1 }],
  ['latencyMs', { label: 'latency', milliseconds: 1 }],
  ['retryAfter', { label: 'retry after', milliseconds: 1000 }],
]);

/** Exact: `1m 30s`, `1500ms`. */
const spanOf = (milliseconds: number): string =>
  milliseconds % 1000 === 0 ? formatDuration(milliseconds) : `${String(milliseconds)}ms`;

const linesOf = (row: Json, left: readonly string[] = []): readonly Line[] =>
  Object.keys(objectOf(row) ?? {})
    .filter((member) => !left.includes(member))
    .map((member) => memberLine(row, member));

const plain = (noun: string): View => ({
  noun: [noun, `${noun}s`],
  id: () => '',
  columns: [],
  detail: (row) => [{ lines: linesOf(row) }],
});

/** `2 COMPLETED, 1 FAILED`. */
const jobs = (row: Json): string =>
  Object.entries(objectOf(memberAt(row, 'jobs')) ?? {})
    .map(([name, count]) => `${encodeJson(count ?? null)} ${name}`)
    .join(', ');

/** Each as it was set: `fault-000001 drop, count 1`. */
const faults = (row: Json): readonly string[] =>
  (arrayOf(memberAt(row, 'faults')) ?? []).map((each) => {
    const how = linesOf(each, ['id', 'kind']).map(({ label, value }) => `, ${label} ${value}`);
    return `${text('id')(each)} ${text('kind')(each)}${how.join('')}`;
  });

const NONE = { text: 'none', tone: 'quiet' } as const;

const statusView: View = {
  ...plain('local service'),
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

const clockView = plain('clock');

const FAULT_MEMBERS = ['id', 'kind', 'count', 'probability', 'match', 'status', 'latencyMs', 'retryAfter'];

const faultView: View = {
  noun: ['fault', 'faults'],
  id: (row) => text('id')(row),
  members: FAULT_MEMBERS,
  columns: FAULT_MEMBERS.map((name) => ({
    header: MEMBER_UNITS.get(name)?.label.toUpperCase() ?? memberHeader(name),
    show: (row) => memberLine(row, name).value,
  })),
};

export const status = defineCommand({
  summary: 'show what the local service holds, its time and its faults',
  run: async (ctx) => {
    const answer = await ctx.api.send(control('GET', ['status'])).catch(notLocal);
    return { kind: 'one', view: statusView, value: answer.value ?? null, source: answer.text };
  },
});

export const reset = defineCommand({
  summary: 'forget everything and start over with the seeded account',
  confirm: () =>
    Promise.resolve('This forgets everything the local service holds: pods, volumes, jobs, faults and its clock.'),
  run: async (ctx) => {
    const answer = await ctx.api.send(control('POST', ['reset'])).catch(notLocal);
    return { kind: 'one', view: statusView, value: answer.value ?? null, source: answer.text };
  },
});

export const clock = defineGroup("the local service's time: pods, jobs, retention and rate windows follow it", {
  show: defineCommand({
    summary: 'show its time',
    run: async (ctx) => {
      const answer = await ctx.api.send(control('GET', ['clock'])).catch(notLocal);
      return { kind: 'one', view: clockView, value: answer.value ?? null, source: answer.text };
    },
  }),
  advance: defineCommand({
    summary: 'move it forward',
    args: { time: arg.text('how far: 90s, 31m, 1h30m, or a number of seconds') },
    examples: [['berth local clock advance 31m', 'past the retention of a result']],
    run: async (ctx, { time }) => {
      const advanceMs = parseDuration(time, 's', 'TIME');
      const answer = await ctx.api.send(control('POST', ['clock'], { advanceMs })).catch(notLocal);
      return { kind: 'one', view: clockView, value: answer.value ?? null, source: answer.text };
    },
  }),
});

/** How a local service, and no other, says that it has no such fault. */
const NO_FAULT = 'fault not found';

const noFault = (error: Failure, id: string): Failure =>
  error.with({
    message: `there is no fault ${JSON.stringify(id)}`,
    hint: 'See which there are: berth local fault list',
  });

const KINDS = ['rate-limit', 'server-error', 'latency', 'drop', 'accept-drop', 'low-balance'];

export const fault = defineGroup('inject faults: 429, 5xx, latency, dropped connections', {
  add: defineCommand({
    summary: 'let the next requests fail',
    details:
      'drop closes the connection before the request is taken; accept-drop carries it out first and then drops the answer. low-balance answers 402 to every POST, or to what --match says.',
    args: { kind: arg.text('what happens', { choices: KINDS }) },
    options: {
      count: option.count('how many requests it strikes (default: all until cleared)', 1),
      probability: option.fraction('how often it strikes: above 0, up to 1', { metavar: 'P' }),
      match: option.text('only these: a method, the beginning of a path, or both', { metavar: 'METHOD/PATH' }),
      status: option.count('the status of a server-error (default 503)', 500, { most: 599 }),
      latency: option.duration('how late a latency answers (default 1s)', 's'),
      retryAfter: option.duration('what a rate-limit asks to wait (default 1s)', 's'),
    },
    examples: [
      [
        `berth local fault add rate-limit --count 3 --match 'POST /v2/demo/run'`,
        'the next three submissions to demo are told to wait',
      ],
    ],
    run: async (ctx, values) => {
      const { kind, count, probability, match, status: code, latency, retryAfter } = values;
      const body: Json = {
        kind,
        ...(count === undefined ? {} : { count }),
        ...(probability === undefined ? {} : { probability }),
        ...(match === undefined ? {} : { match }),
        ...(code === undefined ? {} : { status: code }),
        ...(latency === undefined ? {} : { latencyMs: latency }),
        ...(retryAfter === undefined ? {} : { retryAfter: Math.ceil(retryAfter / 1000) }),
      };
      const answer = await ctx.api.send(control('POST', ['fault'], body)).catch(notLocal);
      return { kind: 'one', view: faultView, value: answer.value ?? null, source: answer.text };
    },
  }),
  list: defineCommand({
    summary: 'list the faults that are set',
    run: async (ctx) => {
      const answer = await ctx.api.send({ ...control('GET', ['fault']), expects: { list: 'faults' } }).catch(notLocal);
      const faults =
        isObject(answer.value) && Array.isArray(answer.value['faults'])
          ? (answer.value['faults'] as readonly Json[])
          : [];
      return { kind: 'many', view: faultView, values: faults, source: { text: answer.text, member: 'faults' } };
    },
  }),
  clear: defineCommand({
    summary: 'remove one fault, or all of them',
    args: { id: arg.optional('fault id') },
    run: async (ctx, { id }) => {
      const path = id === undefined ? ['fault'] : ['fault', id];
      await ctx.api.send(control('DELETE', path)).catch((error: unknown) => {
        if (id !== undefined && error instanceof Failure && error.detail === NO_FAULT) throw noFault(error, id);
        notLocal(error);
      });
      return { kind: 'nothing', notes: [id === undefined ? 'No faults are set now.' : `Fault ${id} is gone.`] };
    },
  }),
});
