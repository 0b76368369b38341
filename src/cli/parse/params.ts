import { usage } from '../../core/failure.ts';
import { parseDuration, type TimeUnit } from '../../core/units.ts';
import type { CommandContext } from '../context.ts';
import type { Choice } from '../../core/context.ts';

/** How a missing required value is asked for on a terminal. Without one, exit 2 names the flag. */
export type Ask =
  | { readonly kind: 'text'; readonly question: string }
  | {
      readonly kind: 'pick';
      readonly question: string;
      readonly choices: (ctx: CommandContext) => Promise<readonly Choice<string>[]>;
    };

/**
 * One argument or flag: everything that parsing, help, completion and asking need to know of it. `T` is what a
 * command's `run` receives.
 */
export interface Param<T> {
  readonly place: 'flag' | 'argument';
  readonly summary: string;
  /** What stands for the value in help; a flag without one is a switch. */
  readonly metavar?: string;
  readonly short?: string;
  readonly required: boolean;
  /** Takes several values: a repeated flag, or all remaining arguments. */
  readonly many: boolean;
  /** Of several values each counts once: ids, whatever a script hands over twice. */
  readonly distinct?: boolean;
  readonly choices?: readonly string[];
  /** Keys of flags of which one must be given for this one to say anything. */
  readonly needs?: readonly string[];
  readonly initial?: T;
  /** Known, and shown in no help and no completion: an old name. */
  readonly hidden?: boolean;
  /** Shown in help where a default is not plain from the summary. */
  readonly initialText?: string;
  readonly ask?: Ask;
  /** One value's text to the value. Fails with usage (2); `label` is the flag or argument as the user knows it. */
  readonly parse: (text: string, label: string) => unknown;
  /** Carries `T`; never set. */
  readonly type?: T;
}

export type Params = Readonly<Record<string, Param<unknown>>>;

export type ValuesOf<P extends Params> = { readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never };

interface Shape<T> {
  readonly hidden?: boolean;
  readonly short?: string;
  readonly metavar?: string;
  readonly ask?: Ask;
  readonly initial?: T;
  readonly initialText?: string;
}

const asText = (text: string): string => text;

function parseCount(least: number, most = Number.MAX_SAFE_INTEGER): (text: string, label: string) => number {
  return (text, label) => {
    const value = Number(text);
    if (!/^[+-]?\d+$/.test(text.trim()) || !Number.isSafeInteger(value))
      throw usage(`${label} takes a whole number, not ${JSON.stringify(text)}`);
    if (value < least) throw usage(`${label} is at least ${String(least)}; ${String(value)} is too small`);
    if (value > most) throw usage(`${label} is at most ${String(most)}; ${String(value)} is too large`);
    return value;
  };
}

function parseFraction(text: string, label: string): number {
  const value = Number(text);
  if (!/^\d*\.?\d+(?:e-?\d+)?$/i.test(text.trim()) || !(value > 0 && value <= 1))
    throw usage(`${label} takes a number above 0, up to 1, not ${JSON.stringify(text)}`);
  return value;
}

function parseChoice(choices: readonly string[]): (text: string, label: string) => string {
  return (text, label) => {
    const found = choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
    if (found === undefined)
      throw usage(`${label} is one of ${choices.join(', ')}; ${JSON.stringify(text)} is none of them`);
    return found;
  };
}

const flag = { place: 'flag', required: false, many: false } as const;

/** Flags. A key `lowPriority` becomes `--low-priority`. Without `initial`, an absent flag is undefined. */
export const option = {
  /** Present or not. */
  on: (summary: string, shape: { readonly short?: string } = {}): Param<boolean> => ({
    ...flag,
    ...shape,
    summary,
    initial: false,
    parse: asText,
  }),
  text: (summary: string, shape: Shape<string> = {}): Param<string | undefined> => ({
    ...flag,
    metavar: 'TEXT',
    ...shape,
    summary,
    parse: asText,
  }),
  requiredText: (summary: string, shape: Shape<string> = {}): Param<string> => ({
    ...flag,
    metavar: 'TEXT',
    ...shape,
    summary,
    required: true,
    parse: asText,
  }),
  /** A number above 0, up to 1. */
  fraction: (summary: string, shape: Shape<number> = {}): Param<number | undefined> => ({
    ...flag,
    metavar: 'N',
    ...shape,
    summary,
    parse: parseFraction,
  }),
  /** Milliseconds; `bare` is the unit of a number without one. */
  duration: (summary: string, bare: TimeUnit, shape: Shape<number> = {}): Param<number | undefined> => ({
    ...flag,
    metavar: 'TIME',
    ...shape,
    summary,
    parse: (text, label) => parseDuration(text, bare, label),
  }),
  /** Milliseconds; a bare number is refused, because people think of ages in hours, days and weeks alike. */
  age: (summary: string): Param<number | undefined> => ({
    ...flag,
    metavar: 'TIME',
    summary,
    parse: (text, label) => {
      if (/^[\d.]+$/.test(text.trim())) throw usage(`${label} needs a unit: ${text}`, `Write ${text}h or ${text}d.`);
      return parseDuration(text, 'h', label);
    },
  }),
  /** Milliseconds, with a default. */
  durationOr: (summary: string, bare: TimeUnit, initial: number, initialText: string): Param<number> => ({
    ...flag,
    metavar: 'TIME',
    initial,
    initialText,
    summary,
    parse: (text, label) => parseDuration(text, bare, label),
  }),
  count: (
    summary: string,
    least: number,
    shape: Shape<number> & { readonly most?: number } = {},
  ): Param<number | undefined> => {
    const { most, ...rest } = shape;
    return { ...flag, metavar: 'N', ...rest, summary, parse: parseCount(least, most) };
  },
  requiredCount: (
    summary: string,
    least: number,
    shape: Shape<number> & { readonly most?: number } = {},
  ): Param<number> => {
    const { most, ...rest } = shape;
    return { ...flag, metavar: 'N', ...rest, summary, required: true, parse: parseCount(least, most) };
  },
  choice: (summary: string, choices: readonly string[], shape: Shape<string> = {}): Param<string | undefined> => ({
    ...flag,
    metavar: choices.length > 4 ? 'WORD' : choices.join('|'),
    ...shape,
    summary,
    choices,
    parse: parseChoice(choices),
  }),
  /** Repeatable, and commas separate values too. */
  list: (
    summary: string,
    shape: Shape<readonly string[]> & { readonly choices?: readonly string[] } = {},
  ): Param<readonly string[]> => ({
    ...flag,
    metavar: 'A,B',
    initial: [],
    ...shape,
    summary,
    many: true,
    parse: (text, label) =>
      text
        .split(',')
        .filter((part) => part !== '')
        .map((part) => (shape.choices ? parseChoice(shape.choices)(part, label) : part)),
  }),
  /** Repeatable, each value whole. */
  texts: (summary: string, shape: Shape<readonly string[]> = {}): Param<readonly string[]> => ({
    ...flag,
    metavar: 'TEXT',
    initial: [],
    ...shape,
    summary,
    many: true,
    parse: (text) => [text],
  }),
};

/** A flag that says nothing without one of some others: alone it is refused, and not passed over. */
export const onlyWith = <T>(needs: readonly string[], param: Param<T>): Param<T> => ({ ...param, needs });

const argument = { place: 'argument', many: false, parse: asText } as const;

/** Arguments, in the order they are declared. The key is shown in upper case unless `metavar` says otherwise. */
export const arg = {
  text: (summary: string, shape: Shape<string> & { readonly choices?: readonly string[] } = {}): Param<string> => ({
    ...argument,
    ...shape,
    summary,
    required: true,
    ...(shape.choices ? { parse: parseChoice(shape.choices) } : {}),
  }),
  optional: (
    summary: string,
    shape: Shape<string> & { readonly choices?: readonly string[] } = {},
  ): Param<string | undefined> => ({
    ...argument,
    ...shape,
    summary,
    required: false,
    ...(shape.choices ? { parse: parseChoice(shape.choices) } : {}),
  }),
  /** None or more. */
  any: (summary: string, shape: Shape<readonly string[]> = {}): Param<readonly string[]> => ({
    ...argument,
    ...shape,
    summary,
    required: false,
    many: true,
    parse: (text) => [text],
  }),
  /** One or more things to act on; one that is named twice counts once. */
  ids: (summary: string, shape: Shape<readonly string[]> = {}): Param<readonly string[]> => ({
    ...arg.many(summary, shape),
    distinct: true,
  }),
  /** One or more. */
  many: (summary: string, shape: Shape<readonly string[]> = {}): Param<readonly string[]> => ({
    ...argument,
    ...shape,
    summary,
    required: true,
    many: true,
    parse: (text) => [text],
  }),
};

/** `lowPriority` to `--low-priority`. */
export const flagName = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** What an argument is called in help and messages: `ENDPOINT`, `JOB...`. */
export const argumentName = (key: string, param: Param<unknown>): string =>
  param.metavar ?? key.replace(/[A-Z]/g, (letter) => `-${letter}`).toUpperCase();

/** The parameter as the user knows it. */
export const labelOf = (key: string, param: Param<unknown>): string =>
  param.place === 'flag' ? flagName(key) : argumentName(key, param);
