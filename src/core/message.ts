import { safeText } from './safe-text.ts';

/** What no shell reads as anything but itself. What ends a sentence needs quotes at the end. */
const PLAIN = /^[\w@%+,./-][\w@%+=:,./-]*$/;
const ENDS_A_SENTENCE = /(?<!\.\.)[.,:;]$/;

/** For sh, bash, zsh and fish. Control characters are shown as escapes: no shell would read them back. */
export function shellWord(word: string): string {
  if (PLAIN.test(word) && !ENDS_A_SENTENCE.test(word)) return word;
  // fish reads a backslash between single quotes, the other shells do not; outside of them all do.
  return `'${safeText(word).replace(/['\\]/g, `'\\$&'`)}'`;
}

interface Word {
  readonly text: string;
  readonly isValue: boolean;
}

/** A command of berth that is printed, without the flags that choose the account: `printed` adds them. */
export class CommandLine {
  readonly words: readonly Word[];
  constructor(words: readonly Word[]) {
    this.words = words;
  }
}

class Sentence {
  readonly parts: readonly (string | CommandLine)[];
  constructor(parts: readonly (string | CommandLine)[]) {
    this.parts = parts;
  }
}

/** Text for a person. A command of berth is never written into the text: it is a part of a sentence. */
export type Message = string | CommandLine | Sentence;

export const names = (text: string): CommandLine =>
  new CommandLine((text.match(/\S+/g) ?? []).map((each) => ({ text: each, isValue: false })));

export const flags = (given: readonly string[]): CommandLine =>
  new CommandLine(given.map((text) => ({ text, isValue: !/^--[a-z][a-z0-9-]*$/.test(text) })));

/** A value in a template, by its number. */
const HOLE = /\uE000(\d+)\uE001/g;

/** A list, or another command line, gives words of its own; any other value is part of the word that it stands in. */
export function berth(
  literals: TemplateStringsArray,
  ...values: readonly (string | number | CommandLine | readonly string[])[]
): CommandLine {
  const template = literals.reduce((text, literal, at) => `${text}\uE000${at - 1}\uE001${literal}`);
  const words = template.split(/\s+/).filter(Boolean);
  return new CommandLine(
    words.flatMap((word) => {
      let alone: readonly Word[] | undefined;
      const text = word.replace(HOLE, (_, at) => {
        const value = values[Number(at)];
        if (typeof value !== 'object') return String(value);
        alone = value instanceof CommandLine ? value.words : value.map((each) => ({ text: each, isValue: true }));
        return '';
      });
      return alone ?? [{ text, isValue: word.includes('\uE000') }];
    }),
  );
}

/** Template tag for a message with command lines. What follows one is punctuation, or for the shell (`| jq`, `< FILE`). */
export const sentence = (literals: TemplateStringsArray, ...values: readonly (Message | number)[]): Sentence =>
  new Sentence(literals.flatMap((literal, at) => (at === 0 ? [literal] : [...partsOf(values[at - 1]), literal])));

/** Joins messages, each on a line of its own, without those that are absent or empty. Undefined if none is left. */
export function lines(...messages: readonly (Message | undefined)[]): Message | undefined {
  const present = messages.filter((message) => message !== undefined && message !== '');
  if (present.length < 2) return present[0];
  return new Sentence(present.flatMap((message, at) => (at === 0 ? partsOf(message) : ['\n', ...partsOf(message)])));
}

export function linesOf(message: Message | undefined): readonly Message[] {
  if (message === undefined) return [];
  const found: (string | CommandLine)[][] = [[]];
  for (const part of partsOf(message)) {
    const [first = '', ...others] = typeof part === 'string' ? part.split('\n') : [part];
    found.at(-1)?.push(first);
    found.push(...others.map((other) => [other]));
  }
  return found.map((parts) => new Sentence(parts));
}

export type PrintedPart = ReturnType<typeof printedParts>[number];

interface Run {
  readonly accountWords: AccountWords;
}

/** The only place where a command becomes text: quoted, with the words that choose this run's account. */
export const printedParts = (message: Message, { accountWords }: Run) =>
  partsOf(message).map((part) => ({
    text: typeof part === 'string' ? part : commandText(part, accountWords),
    isCommand: typeof part !== 'string',
  }));

export const printed = (message: Message, run: Run): string =>
  printedParts(message, run)
    .map(({ text }) => text)
    .join('');

const partsOf = (message: Message | number = ''): Sentence['parts'] => {
  if (message instanceof Sentence) return message.parts;
  return [typeof message === 'number' ? String(message) : message];
};

const OWN_ACCOUNT = /(^| )--(profile|local|base-url|queue-url|rest-url)\b/;

/** Commands that are of no account, or choose the local service themselves. */
const NO_ACCOUNT = /^(help|schema|completion|local (serve|exec))\b|(^| )--help$/;

function commandText({ words }: CommandLine, { account, storage }: AccountWords): string {
  const line = words.flatMap(({ text, isValue }) => (isValue ? [] : [text])).join(' ');
  const own = OWN_ACCOUNT.test(line) || NO_ACCOUNT.test(line) ? [] : account;
  // The local service keeps no settings: they are those of a profile.
  const kept = /^(config|auth)\b/.test(line) ? own.filter((each) => each !== '--local') : own;
  const files = line.startsWith('files ') && !line.includes('--storage-url') ? storage : [];
  return ['berth', ...[...kept, ...files].map(shellWord), ...argumentsOf(words)].join(' ');
}

/** A value that begins with a dash is written so that it is not read as a flag. */
function argumentsOf(words: readonly Word[]): readonly string[] {
  const isFlag = (at: number): boolean => words[at]?.isValue === false && words[at].text.startsWith('--');
  const isDashed = (at: number): boolean => words[at]?.isValue === true && /^-./.test(words[at].text);
  const places = words.map((word, at) => ({ text: word.isValue ? shellWord(word.text) : word.text, at }));
  const isArgument = ({ at }: { readonly at: number }): boolean => words[at]?.isValue === true && !isFlag(at - 1);
  const moved = places.some((place) => isArgument(place) && isDashed(place.at)) ? places.filter(isArgument) : [];
  const stay = places.filter((place) => !moved.includes(place));
  const joined = stay.map(({ text, at }) => `${isDashed(at) ? '=' : ' '}${text}`).join('');
  return [joined.slice(1), ...(moved.length === 0 ? [] : ['--']), ...moved.map(({ text }) => text)];
}

/** Words with which a printed command acts on the same account in another shell. `storage`: for the files on volumes. */
export type AccountWords = Readonly<Record<'account' | 'storage', readonly string[]>>;

export const NO_WORDS: AccountWords = { account: [], storage: [] };
