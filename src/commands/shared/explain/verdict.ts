import type { CommandContext } from '../../../cli/model/context.ts';
/** Finds a verdict from facts: the first cause of a table that applies is the answer. */
import { type Message, type PrintedPart, printed, printedParts } from '../../../core/message.ts';
import { EXIT, type ExitCode } from '../../../core/exit-codes.ts';
import { itemsAt, type JsonObject } from '../../../core/json.ts';
import { list, text } from '../../../output/cells/cell-functions.ts';
import type { Result, Tone, View } from '../../../output/view.ts';
import type { Fact } from './facts.ts';
import { textColumn } from '../../../cli/resource/fields/detail-lines.ts';
import { manyOf, oneOf, ownObject, TEXT, type OutputSchema } from '../../../cli/model/output-schema.ts';

/**
 * `ok`: nothing is wrong. `waiting`: it continues without a change. `blocked`: it does not continue until something is
 * changed.
 */
export type State = 'ok' | 'waiting' | 'blocked';

/** One thing that was found, and the request whose answer contained it. */
export interface Evidence {
  readonly fact: string;
  readonly value: string;
  readonly source: string;
}

interface Finding {
  /** One sentence without a period at the end. */
  readonly verdict: string;
  /** Command lines that solve the problem, in order, or what to correct where no command does. */
  readonly cure?: readonly Message[];
  /** The state, when it differs from that of the cause. */
  readonly state?: State;
  /** The exit code of a finding without a known reason. */
  readonly exit?: ExitCode;
}

/** A reason why something does not continue, or the statement that it does. */
export interface Cause<F> {
  /** A stable name for scripts, such as `workers-max-zero`. */
  readonly code: string;
  readonly state: State;
  /** Returns the finding of this cause from the facts; undefined when it does not apply. */
  readonly find: (facts: F) => Finding | undefined;
}

export interface Verdict {
  readonly verdict: string;
  readonly code: string;
  readonly state: State;
  readonly cure: readonly Message[];
  readonly exit: ExitCode;
}

/** The first cause that applies. One of the causes must always apply. */
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

/** A line of evidence from a fact; none when the fact was not requested, or `value` returns undefined. */
export function evidence<T>(
  name: string,
  fact: Fact<T> | undefined,
  value: (known: T) => string | undefined,
): readonly Evidence[] {
  if (fact?.known !== true) return [];
  const shown = value(fact.value);
  return shown === undefined ? [] : [{ fact: name, value: shown, source: fact.source }];
}

/** A line for each request that was not answered. */
export const unreadEvidence = (facts: readonly (Fact<unknown> | undefined)[]): readonly Evidence[] =>
  facts.flatMap((fact) =>
    fact === undefined || fact.known ? [] : [{ fact: 'not read', value: fact.failure.message, source: fact.source }],
  );

const TONES: Readonly<Record<string, Tone>> = { ok: 'good', waiting: 'warn', blocked: 'bad' };

/** What `explain --json` prints. `about` are the members that name the resource. */
export const verdictSchema = (about: Readonly<Record<string, OutputSchema>>): OutputSchema =>
  ownObject({
    verdict: TEXT,
    code: TEXT,
    state: oneOf('ok', 'waiting', 'blocked'),
    ...about,
    evidence: manyOf(ownObject({ fact: TEXT, value: TEXT, source: TEXT })),
    cure: manyOf(TEXT),
  });

/** The view of a verdict. `cure` is what the row has, with its commands told apart. */
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
        // The query is in the JSON: here it would leave no room for the value.
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

/** The result of `explain`. `about` names the resource: `{endpoint, job}`. With `exitStatus` it ends 10 when blocked. */
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
