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
  /** Parses one value. Fails with usage (2); `label` names the flag or argument in messages. */
  readonly parse: (text: string, label: string) => unknown;
  /** Carries the type `T`; never set. */
  readonly type?: T;
}

export type Params = Readonly<Record<string, Param<unknown>>>;

export type ValuesOf<P extends Params> = { readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never };

type Shape<T> = Partial<
  Pick<Param<T>, 'format' | 'hidden' | 'short' | 'metavar' | 'ask' | 'unless' | 'complete' | 'initialText'>
> & { readonly initial?: NoInfer<T> };

const asText = (text: string): string => text;
const asTexts = (text: string): readonly string[] => [text];

function parseCount(least: number, most = Number.MAX_SAFE_INTEGER): (text: string, label: string) => number {
  return (text, label) => {
    const value = Number(text);
    if (!/^[+-]?\d+$/.test(text.trim()) || !Number.isSafeInteger(value))
      throw usage(`${label} takes a whole number, not ${JSON.stringify(text)}`);
    if (value < least) throw usage(`${label} is at least ${least}; ${value} is too small`);
    if (value > most) throw usage(`${label} is at most ${most}; ${value} is too large`);
    return value;
  };
}

type Bounds = readonly [least: number, most: number];

const parseTime =
  (bare: TimeUnit, [least, most]: Bounds = [0, Infinity]) =>
  (text: string, label: string): number => {
    const value = parseDuration(text, bare, label);
    if (value >= least && value <= most) return value;
    throw usage(`${label} must be ${least / 1000} s to ${most / 1000} s, not ${value / 1000} s`);
  };

function parseFraction(text: string, label: string): number {
  const value = Number(text);
  if (!/^\d*\.?\d+(?:e-?\d+)?$/i.test(text.trim()) || !(value > 0 && value <= 1))
    throw usage(`${label} takes a number above 0, up to 1, not ${JSON.stringify(text)}`);
  return value;
}

function parseChoice<T extends string>(choices: readonly T[]): (text: string, label: string) => T {
  return (text, label) => {
    const found = choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
    if (found === undefined)
      throw usage(
        `${label} is one of ${choices.join(', ')}; ${JSON.stringify(text)} is none of them`,
        suggestName(text, choices),
      );
    return found;
  };
}

const define = <T>(
  kind: Param<T>['kind'],
  summary: string,
  shape: Partial<Param<T>>,
  parse: Param<T>['parse'],
): Param<T> => ({ required: false, many: false, ...shape, kind, summary, parse });

/** The key `lowPriority` becomes `--low-priority`. Without `initial`, an absent flag is undefined. */
export const option = {
  on: (summary: string, shape: Pick<Shape<boolean>, 'short' | 'unless'> = {}): Param<boolean> =>
    define('flag', summary, { initial: false, ...shape }, asText),
  text: (summary: string, shape: Shape<string> = {}): Param<string | undefined> =>
    define('flag', summary, { metavar: 'TEXT', ...shape }, asText),
  /** Greater than 0 and at most 1. */
  fraction: (summary: string, shape: Shape<number> = {}): Param<number | undefined> =>
    define('flag', summary, { metavar: 'N', format: 'number', ...shape }, parseFraction),
  /** In milliseconds; `bare` is the unit of a number without a unit. */
  duration: (summary: string, bare: TimeUnit, bounds?: Bounds): Param<number | undefined> =>
    define('flag', summary, { metavar: 'TIME', format: 'duration' }, parseTime(bare, bounds)),
  /** In milliseconds; a unit is required, because none is obvious. */
  durationWithUnit: (summary: string): Param<number | undefined> =>
    define('flag', summary, { metavar: 'TIME', format: 'duration' }, parseDurationWithUnit),
  durationOr: (summary: string, bare: TimeUnit, initial: number, initialText: string): Param<number> =>
    define('flag', summary, { metavar: 'TIME', format: 'duration', initial, initialText }, parseTime(bare)),
  count: (
    summary: string,
    least: number,
    { most, ...shape }: Shape<number> & { readonly most?: number } = {},
  ): Param<number | undefined> =>
    define('flag', summary, { metavar: 'N', format: 'integer', ...shape }, parseCount(least, most)),
  choice: <const T extends string>(
    summary: string,
    choices: readonly T[],
    shape: Shape<T> = {},
  ): Param<T | undefined> => {
    const metavar = choices.length > 4 ? 'WORD' : choices.join('|');
    return define('flag', summary, { metavar, ...shape, choices }, parseChoice(choices));
  },
  /** Repeatable; a value may hold several, separated by commas. */
  list: (
    summary: string,
    shape: Shape<readonly string[]> & { readonly choices?: readonly string[] } = {},
  ): Param<readonly string[]> =>
    define('flag', summary, { metavar: 'A,B', initial: [], ...shape, many: true, commas: true }, (text, label) =>
      text
        .split(',')
        .filter((part) => part !== '')
        .map((part) => (shape.choices ? parseChoice(shape.choices)(part, label) : part)),
    ),
  texts: (summary: string, shape: Shape<readonly string[]> = {}): Param<readonly string[]> =>
    define('flag', summary, { metavar: 'TEXT', initial: [], ...shape, many: true }, asTexts),
};

export const required = <T>(param: Param<T | undefined>): Param<T> => ({ ...(param as Param<T>), required: true });

export const onlyWith = <T>(needs: readonly string[], param: Param<T>): Param<T> => ({ ...param, needs });

interface WordShape<T extends string> extends Shape<T> {
  readonly choices?: readonly T[];
}

const word = <T extends string>(summary: string, shape: WordShape<T>, isRequired: boolean): Param<T> =>
  define('argument', summary, { required: isRequired, ...shape }, shape.choices ? parseChoice(shape.choices) : asText);

const words = (summary: string, shape: Partial<Param<readonly string[]>>): Param<readonly string[]> =>
  define('argument', summary, { many: true, ...shape }, asTexts);

/** In order of declaration. Help shows the key in upper case unless `metavar` is set. */
export const arg = {
  text: <const T extends string = string>(summary: string, shape: WordShape<T> = {}): Param<T> =>
    word(summary, shape, true),
  optional: <const T extends string = string>(summary: string, shape: WordShape<T> = {}): Param<T | undefined> =>
    word(summary, shape, false),
  any: (summary: string, shape: Shape<readonly string[]> = {}) => words(summary, shape),
  many: (summary: string, shape: Shape<readonly string[]> = {}) => words(summary, { required: true, ...shape }),
  ids: (summary: string, shape: Shape<readonly string[]> = {}) =>
    words(summary, { required: true, ...shape, distinct: true }),
  afterDashes: (summary: string, metavar: string) => words(summary, { metavar, afterDashes: true }),
};

/** A flag as data, under the name of its maker. */
export type FlagData = Pick<Param<unknown>, 'short' | 'metavar' | 'ask' | 'complete'> & {
  readonly least?: number;
  /** The unit of a duration without one. */
  readonly bare?: TimeUnit;
  readonly choices?: readonly string[];
} & { [Kind in keyof typeof MAKERS]: Readonly<Record<Kind, string>> }[keyof typeof MAKERS];

const MAKERS = {
  on: option.on,
  text: option.text,
  texts: option.texts,
  list: option.list,
  count: (summary: string, { least = 0, ...shape }: Shape<number> & { readonly least?: number }) =>
    option.count(summary, least, shape),
  duration: (summary: string, { bare = 's' }: { readonly bare?: TimeUnit }) => option.duration(summary, bare),
  choice: (summary: string, { choices = [], ...shape }: WordShape<string>) => option.choice(summary, choices, shape),
  afterDashes: (summary: string, { metavar = '' }: Shape<never>) => arg.afterDashes(summary, metavar),
};

export function paramOf(flag: FlagData): Param<unknown> {
  const kind = Object.keys(MAKERS).find((each) => each in flag) as keyof typeof MAKERS;
  const { [kind]: summary = '', ...shape } = flag as Readonly<Record<string, string>>;
  return MAKERS[kind](summary, shape);
}

/** A switch that is off and an empty list count as absent. */
export const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);

export const namesProgram = (args: Params): boolean =>
  Object.values(args).some(({ complete }) => complete === 'command');

export const flagName = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

export const argumentName = (key: string, param: Param<unknown>): string =>
  param.metavar ?? key.replace(/[A-Z]/g, (letter) => `-${letter}`).toUpperCase();

export const labelOf = (key: string, param: Param<unknown>): string =>
  param.kind === 'flag' ? flagName(key) : argumentName(key, param);

/** Must be above 0. Usage (2). */
export function dollarsOf(key: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const amount = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && amount > 0) return amount;
  throw usage(`${flagName(key)} is not an amount in US dollars: ${JSON.stringify(text)}`, 'Write 2.50.');
}

/** As `parseDuration` where no unit is obvious, so that a number alone is refused, but for 0: usage (2). */
function parseDurationWithUnit(text: string, what: string): number {
  const trimmed = text.trim();
  if (/^\d+(\.\d+)?$/.test(trimmed) && Number(trimmed) > 0)
    throw usage(`${what} needs a unit: ${trimmed}`, `Write ${trimmed}s, ${trimmed}m, ${trimmed}h or ${trimmed}d.`);
  return parseDuration(trimmed, 'h', what);
}
