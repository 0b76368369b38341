import type { CommandContext } from '../../cli/model/context.ts';
import { manyOf, oneOf, type OutputSchema, ownObject, TEXT } from '../../cli/model/output-schema.ts';
import { option } from '../../cli/model/params.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { readList } from '../../cli/resource/pages.ts';
import { type ApiRequest, isListRequest, type ListRequest } from '../../core/api.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { type Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import { itemsAt, type Json, type JsonObject, jsonOrText, stringAt } from '../../core/json.ts';
import { berth, type Message, printed, type PrintedPart, printedParts } from '../../core/message.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import { list, text } from '../../output/cells.ts';
import type { Result, Tone, View } from '../../output/view.ts';

/** `waiting` continues by itself; `blocked` only after a change. */
type State = 'ok' | 'waiting' | 'blocked';

export interface Evidence {
  readonly fact: string;
  readonly value: string;
  readonly source: string;
}

interface Finding {
  /** Without a final period. */
  readonly verdict: string;
  /** Commands in order, or what to correct if no command helps. */
  readonly cure?: readonly Message[];
  readonly state?: State;
  readonly exit?: ExitCode;
}

export interface Cause<F> {
  /** Stable, for scripts. */
  readonly code: string;
  readonly state: State;
  readonly find: (facts: F) => Finding | undefined;
}

export interface Verdict {
  readonly verdict: string;
  readonly code: string;
  readonly state: State;
  readonly cure: readonly Message[];
  readonly exit: ExitCode;
}

/** One of the causes must always apply. */
export function decide<F>(causes: readonly Cause<F>[], facts: F): Verdict {
  for (const { code, state, find } of causes) {
    const found = find(facts);
    if (found !== undefined)
      return {
        verdict: found.verdict,
        code,
        state: found.state ?? state,
        cure: found.cure ?? [],
        exit: found.exit ?? EXIT.done,
      };
  }
  throw new Error('no cause applies');
}

export function evidence<T>(
  name: string,
  fact: Fact<T> | undefined,
  value: (known: T) => string | undefined,
): readonly Evidence[] {
  if (fact?.known !== true) return [];
  const shown = value(fact.value);
  return shown === undefined ? [] : [{ fact: name, value: shown, source: fact.source }];
}

export const unreadEvidence = (facts: readonly (Fact<unknown> | undefined)[]): readonly Evidence[] =>
  facts.flatMap((fact) =>
    fact === undefined || fact.known ? [] : [{ fact: 'not read', value: fact.failure.message, source: fact.source }],
  );

const TONES: Readonly<Record<string, Tone>> = { ok: 'good', waiting: 'warn', blocked: 'bad' };

export const verdictSchema = (about: Readonly<Record<string, OutputSchema>>): OutputSchema =>
  ownObject({
    verdict: TEXT,
    code: TEXT,
    state: oneOf('ok', 'waiting', 'blocked'),
    ...about,
    evidence: manyOf(ownObject({ fact: TEXT, value: TEXT, source: TEXT })),
    cure: manyOf(TEXT),
  });

const verdictView = (cure: readonly (readonly PrintedPart[])[]): View => ({
  noun: ['verdict', 'verdicts'],
  id: text('code'),
  members: ['verdict', 'code', 'state', 'evidence', 'cure'],
  columns: [textColumn('verdict'), textColumn('code'), textColumn('state')],
  detail: (row) => [
    {
      lines: [
        { label: 'verdict', value: { text: text('verdict')(row), tone: TONES[text('state')(row)] ?? 'plain' } },
        { label: 'code', value: text('code')(row) },
      ],
    },
    {
      title: 'evidence',
      lines: itemsAt(row, 'evidence').map((each) => ({
        label: text('fact')(each),
        // Without the query, which would leave no room; the JSON has it.
        value: `${text('value')(each)} (${text('source')(each).replace(/\?.*$/, '')})`,
      })),
    },
    {
      title: 'what to do',
      lines: list('cure')(row).map((line, at) => ({
        label: String(at + 1),
        value: { text: line, ...(cure[at] === undefined ? {} : { parts: cure[at] }) },
      })),
    },
  ],
});

/** Exits 10 when blocked, with `exitStatus`. */
export function explained(
  { settings }: Pick<CommandContext, 'settings'>,
  about: JsonObject,
  { verdict, code, state, cure, exit }: Verdict,
  found: readonly Evidence[],
  exitStatus: boolean,
): Result {
  return {
    kind: 'one',
    view: verdictView(cure.map((line) => printedParts(line, settings))),
    value: {
      verdict,
      code,
      state,
      ...about,
      evidence: found.map((each) => ({ ...each })),
      cure: cure.map((line) => printed(line, settings)),
    },
    exit: exitStatus && state === 'blocked' ? EXIT.jobFailed : exit,
  };
}

/** The answers to the requests of an explanation. Each may fail on its own. */

interface Known<T> {
  readonly known: true;
  readonly value: T;
  readonly source: string;
}

interface Unread {
  readonly known: false;
  readonly failure: Failure;
  readonly source: string;
}

export type Fact<T = Json> = Known<T> | Unread;

const LOG_IDLE_MS: Milliseconds = 1000;

/** Without retries: a refusal is an answer here. Fails only when interrupted. */
export const readFact = (ctx: CommandContext, request: ApiRequest | ListRequest): Promise<Fact> =>
  factOf(ctx, request, async () =>
    isListRequest(request)
      ? (await readList(ctx.api, { ...request, once: true })).document
      : ((await ctx.api.send({ ...request, once: true })).value ?? null),
  );

export const readLastLine = (ctx: CommandContext, request: ApiRequest): Promise<Fact<string | undefined>> => {
  const last = { ...request, query: { ...request.query, tail: 1 }, once: true, idleTimeoutMs: LOG_IDLE_MS };
  return factOf(ctx, request, async () => {
    for await (const event of ctx.api.events(last)) return stringAt(jsonOrText(event.data), 'line') ?? event.data;
    return undefined;
  });
};

/** Among the latest 100 lines. */
export const readLastLineThat = (
  ctx: CommandContext,
  request: ApiRequest,
  isWanted: (line: string) => boolean,
): Promise<Fact<string | undefined>> =>
  factOf(ctx, request, async () => {
    let last: string | undefined;
    for await (const event of ctx.api.events({ ...request, once: true, idleTimeoutMs: LOG_IDLE_MS })) {
      const line = stringAt(jsonOrText(event.data), 'line');
      if (line !== undefined && isWanted(line)) last = line;
    }
    return last;
  });

async function factOf<T>(ctx: CommandContext, request: ApiRequest, read: () => Promise<T>): Promise<Fact<T>> {
  const source = sourceOf(request);
  try {
    return { known: true, value: await read(), source };
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    return { known: false, failure: error, source };
  }
}

function sourceOf({ method, path, query = {} }: ApiRequest): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${String(value)}`],
  );
  return `${method} /${path.join('/')}${given.length === 0 ? '' : `?${given.join('&')}`}`;
}

export const valueOf = <T>(fact: Fact<T> | undefined): T | undefined => (fact?.known === true ? fact.value : undefined);

export const hasStatus = (fact: Fact<unknown>, status: number): boolean =>
  !fact.known && fact.failure.status === status;

type Facts<F> = (facts: F) => readonly (Fact<unknown> | undefined)[];

const unreadOf = (all: readonly (Fact<unknown> | undefined)[]): readonly Unread[] =>
  all.flatMap((fact) => (fact === undefined || fact.known ? [] : [fact]));

/** Too many requests (429) and too little money (402). */
export const serviceCauses = <F>(all: Facts<F>): readonly Cause<F>[] => [
  {
    code: 'rate-limited',
    state: 'blocked',
    find: (facts) => {
      const refused = unreadOf(all(facts)).filter(({ failure }) => failure.exit === EXIT.rateLimited);
      if (refused.length === 0) return undefined;
      const seconds = Math.max(...refused.map(({ failure }) => failure.retryAfter ?? 0));
      return {
        verdict: seconds === 0 ? 'rate limited' : `rate limited for ${formatDuration(seconds * 1000)}`,
        cure: [berth`limits`],
      };
    },
  },
  {
    code: 'low-balance',
    state: 'blocked',
    find: (facts) =>
      unreadOf(all(facts)).some(({ failure }) => failure.status === 402)
        ? {
            verdict: 'the balance of the account is too low: nothing is started until there is credit',
            cure: [berth`billing summary`],
          }
        : undefined,
  },
];

export const isReason = ({ failure }: Unread): boolean => failure.exit === EXIT.rateLimited || failure.status === 402;

/** Ends with the exit code of the failed request. */
export const couldNotTell = ({ failure, source }: Unread): ReturnType<Cause<unknown>['find']> => ({
  verdict: `could not tell: ${source}: ${failure.message}`,
  ...(failure.hint === undefined ? {} : { cure: [berth`doctor`] }),
  exit: failure.exit,
});

/** The parts of the help that all commands with an explanation share. */

export const EXPLAIN_DETAILS =
  'Prints the verdict, then what was found with the request that said so, then the commands that help. -o json has them as verdict, code, state, evidence and cure. Ends with 0 when it found an answer.';

export const EXIT_STATUS_OPTION = {
  exitStatus: option.on('end 10 when it is blocked: nothing moves until something is changed'),
};

export const EXPLAIN_EXITS = [EXIT.jobFailed];

const DEFAULT_SAMPLE_MS: Milliseconds = 3000;

export const SAMPLE_OPTION = {
  sample: option.durationOr('time to watch the queue for an estimate; 0 for none', 's', DEFAULT_SAMPLE_MS, '3s'),
};
