import type { Collection, LocalSource } from './collection.ts';
import type { CommandContext } from './context.ts';
import type { Choice } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import { suggestName } from '../../core/text.ts';
import { parseDuration, type TimeUnit } from '../../core/units.ts';

export type Ask =
  | {
      readonly kind: 'text';
      readonly question: string;
      /** With its article, for the refusal of an answer: `a name`. */
      readonly answer: string;
    }
  | {
      readonly kind: 'pick';
      readonly question: string;
      readonly choices: (ctx: CommandContext) => Promise<readonly Choice<string>[]>;
    };

/** A duration is `90s`, `5m`, `1h30m`, or a number in the unit that the summary names. */
type ValueFormat = 'integer' | 'number' | 'duration';

export interface Param<T> {
  readonly kind: 'flag' | 'argument';
  readonly summary: string;
  /** A flag without one is a switch. */
  readonly metavar?: string;
  readonly short?: string;
  readonly required: boolean;
  readonly many: boolean;
  /** Takes only the words after `--`. */
  readonly afterDashes?: boolean;
  readonly distinct?: boolean;
  readonly choices?: readonly string[];
  /** For completion, by the word of the argument before; values are checked elsewhere. */
  readonly choicesAfter?: Readonly<Record<string, readonly string[]>>;
  /** Flag keys: at least one must be given with this flag. */
  readonly needs?: readonly string[];
  /** Flag keys that replace this argument, such as selectors: never both. */
  readonly unless?: readonly string[];
  readonly initial?: T;
  /** Accepted but not shown in help and completion: an old name. */
  readonly hidden?: boolean;
  /** The default in help, if `initial` itself is not readable. */
  readonly initialText?: string;
  readonly ask?: Ask;
  readonly complete?: LocalSource | Collection;
  readonly commas?: boolean;
  readonly format?: ValueFormat;
  /** Of a count, or of a duration in milliseconds. */
  readonly least?: number;
  readonly most?: number;
  /** The unit of a duration without a unit; absent where none is obvious: it then needs one. */
  readonly bare?: TimeUnit;
  /** In place of what the members above say. Fails with usage (2); `label` names the flag or argument in messages. */
  readonly parse?: (text: string, label: string) => unknown;
  /** Carries the type `T`; never set. */
  readonly type?: T;
}

export type Params = Readonly<Record<string, Param<unknown>>>;

export type ValuesOf<P extends Params> = { readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never };

type Shape<T> = Partial<
  Pick<Param<T>, 'format' | 'hidden' | 'short' | 'metavar' | 'ask' | 'unless' | 'complete' | 'initialText'>
> & { readonly initial?: NoInfer<T> };

/** One text of the command line: a value, or several with commas. Fails with usage (2). */
export function parseValue(param: Omit<Param<unknown>, 'type'>, text: string, label: string): unknown {
  const { parse, many, commas, choices, format } = param;
  if (parse !== undefined) return parse(text, label);
  if (many && commas === true)
    return text.split(',').flatMap((part) => (part === '' ? [] : choiceOf(choices, part, label)));
  if (format === 'integer') return countOf(param, text, label);
  if (format === 'number') return fractionOf(text, label);
  if (format === 'duration') return timeOf(param, text, label);
  return choiceOf(choices, text, label);
}

type Bounded = Pick<Param<unknown>, 'least' | 'most' | 'bare'>;

function countOf({ least = 0, most = Number.MAX_SAFE_INTEGER }: Bounded, text: string, label: string): number {
  const value = Number(text);
  if (!/^[+-]?\d+$/.test(text.trim()) || !Number.isSafeInteger(value))
    throw usage(`${label} takes a whole number, not ${JSON.stringify(text)}`);
  if (value < least) throw usage(`${label} is at least ${least}; ${value} is too small`);
  if (value > most) throw usage(`${label} is at most ${most}; ${value} is too large`);
  return value;
}

/** Without `bare`, a number alone is refused, but for 0. */
function timeOf({ bare, least = 0, most = Infinity }: Bounded, text: string, label: string): number {
  const alone = text.trim();
  if (bare === undefined && /^\d+(\.\d+)?$/.test(alone) && Number(alone) > 0)
    throw usage(`${label} needs a unit: ${alone}`, `Write ${alone}s, ${alone}m, ${alone}h or ${alone}d.`);
  const value = parseDuration(text, bare ?? 'h', label);
  if (value >= least && value <= most) return value;
  throw usage(`${label} must be ${least / 1000} s to ${most / 1000} s, not ${value / 1000} s`);
}

function fractionOf(text: string, label: string): number {
  const value = Number(text);
  if (!/^\d*\.?\d+(?:e-?\d+)?$/i.test(text.trim()) || !(value > 0 && value <= 1))
    throw usage(`${label} takes a number above 0, up to 1, not ${JSON.stringify(text)}`);
  return value;
}

function dollarsOf(text: string, label: string): number {
  const amount = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && amount > 0) return amount;
  throw usage(`${label} is not an amount in US dollars: ${JSON.stringify(text)}`, 'Write 2.50.');
}

function choiceOf(choices: readonly string[] | undefined, text: string, label: string): string {
  if (choices === undefined) return text;
  const found = choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  throw usage(
    `${label} is one of ${choices.join(', ')}; ${JSON.stringify(text)} is none of them`,
    suggestName(text, choices),
  );
}

/** What each kind of flag is, beside what its command says of it. */
const KINDS = {
  on: { initial: false },
  text: { metavar: 'TEXT' },
  texts: { metavar: 'TEXT', initial: [], many: true },
  /** Repeatable; a value may hold several, separated by commas. */
  list: { metavar: 'A,B', initial: [], many: true, commas: true },
  count: { metavar: 'N', format: 'integer' },
  /** Greater than 0 and at most 1. */
  fraction: { metavar: 'N', format: 'number' },
  /** Above 0. */
  dollars: { metavar: 'DOLLARS', parse: dollarsOf },
  /** In milliseconds; a number alone needs a unit in `span`. */
  duration: { metavar: 'TIME', format: 'duration', bare: 's' },
  span: { metavar: 'TIME', format: 'duration' },
  choice: {},
  afterDashes: { kind: 'argument', many: true, afterDashes: true },
} as const satisfies Readonly<Record<string, Partial<Param<unknown>>>>;

type Kind = keyof typeof KINDS;

/** A flag as data, under the name of its kind. */
export type FlagData = Pick<Param<unknown>, 'short' | 'metavar' | 'ask' | 'complete' | 'least' | 'bare' | 'choices'> &
  { [K in Kind]: Readonly<Record<K, string>> }[Kind];

export function paramOf(flag: FlagData): Param<unknown> {
  const kind = Object.keys(KINDS).find((each) => each in flag) as Kind;
  const { [kind]: summary = '', ...shape } = flag as Readonly<Record<string, string>>;
  return define(kind, summary, shape);
}

const define = <T>(kind: Kind, summary: string, shape: Partial<Param<T>> = {}): Param<T> => {
  const { choices = [] } = shape;
  const usual: object = kind === 'choice' ? { metavar: choices.length > 4 ? 'WORD' : choices.join('|') } : KINDS[kind];
  return { kind: 'flag', required: false, many: false, ...usual, ...shape, summary };
};

/** The key `lowPriority` becomes `--low-priority`. Without `initial`, an absent flag is undefined. */
export const option = {
  on: (summary: string, shape?: Pick<Shape<boolean>, 'short' | 'unless'>): Param<boolean> =>
    define('on', summary, shape),
  text: (summary: string, shape?: Shape<string>): Param<string | undefined> => define('text', summary, shape),
  fraction: (summary: string, shape?: Shape<number>): Param<number | undefined> => define('fraction', summary, shape),
  dollars: (summary: string): Param<number | undefined> => define('dollars', summary),
  /** `bare` is the unit of a number without a unit. */
  duration: (
    summary: string,
    bare: TimeUnit,
    [least, most]: readonly [number, number] = [0, Infinity],
  ): Param<number | undefined> => define('duration', summary, { bare, least, most }),
  durationWithUnit: (summary: string): Param<number | undefined> => define('span', summary),
  durationOr: (summary: string, bare: TimeUnit, initial: number, initialText: string): Param<number> =>
    define('duration', summary, { bare, initial, initialText }),
  count: (
    summary: string,
    least: number,
    shape?: Shape<number> & { readonly most?: number },
  ): Param<number | undefined> => define('count', summary, { ...shape, least }),
  choice: <const T extends string>(summary: string, choices: readonly T[], shape?: Shape<T>): Param<T | undefined> =>
    define('choice', summary, { ...shape, choices }),
  list: (
    summary: string,
    shape?: Shape<readonly string[]> & { readonly choices?: readonly string[] },
  ): Param<readonly string[]> => define('list', summary, shape),
  texts: (summary: string, shape?: Shape<readonly string[]>): Param<readonly string[]> =>
    define('texts', summary, shape),
};

export const required = <T>(param: Param<T | undefined>): Param<T> => ({ ...(param as Param<T>), required: true });

export const onlyWith = <T>(needs: readonly string[], param: Param<T>): Param<T> => ({ ...param, needs });

interface WordShape<T extends string> extends Shape<T> {
  readonly choices?: readonly T[];
}

const word = <T>(summary: string, shape: Partial<Param<T>> | undefined): Param<T> => ({
  required: false,
  many: false,
  ...shape,
  kind: 'argument',
  summary,
});

/** In order of declaration. Help shows the key in upper case unless `metavar` is set. */
export const arg = {
  text: <const T extends string = string>(summary: string, shape?: WordShape<T>): Param<T> =>
    word(summary, { ...shape, required: true }),
  optional: <const T extends string = string>(summary: string, shape?: WordShape<T>): Param<T | undefined> =>
    word(summary, shape),
  any: (summary: string, shape?: Shape<readonly string[]>) =>
    word<readonly string[]>(summary, { ...shape, many: true }),
  many: (summary: string, shape?: Shape<readonly string[]>) =>
    word<readonly string[]>(summary, { ...shape, many: true, required: true }),
  ids: (summary: string, shape?: Shape<readonly string[]>) =>
    word<readonly string[]>(summary, { ...shape, many: true, required: true, distinct: true }),
  afterDashes: (summary: string, metavar: string) => define<readonly string[]>('afterDashes', summary, { metavar }),
};

/** A switch that is off and an empty list count as absent. */
export const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);

export const namesProgram = (args: Params): boolean =>
  Object.values(args).some(({ complete }) => complete === 'command');

export const flagName = (key: string): string => `--${key.replace(/[A-Z]/g, '-$&').toLowerCase()}`;

export const argumentName = (key: string, param: Param<unknown>): string =>
  param.metavar ?? key.replace(/[A-Z]/g, '-$&').toUpperCase();

export const labelOf = (key: string, param: Param<unknown>): string =>
  param.kind === 'flag' ? flagName(key) : argumentName(key, param);

/** The place of the first word that is neither a flag nor the value of one; undefined without such a word. */
export function firstWordAt(argv: readonly string[], flags: Params): number | undefined {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (!word.startsWith('-') || word === '-') return at;
    if (word === '--') return undefined;
    const flag = Object.entries(flags).find(([key, { short }]) => flagName(key) === word || short === word);
    if (flag?.[1].metavar !== undefined) at++;
  }
  return undefined;
}
