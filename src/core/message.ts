import { safeText } from './safe-text.ts';

/** What no shell reads as anything but itself, anywhere in a command line. What ends a sentence needs quotes at the end. */
const PLAIN = /^[\w@%+,./-][\w@%+=:,./-]*$/;
const ENDS_A_SENTENCE = /(?<!\.\.)[.,:;]$/;

/** For sh, bash, zsh and fish. Control characters become a `printf`, which loses line feeds at the end. */
export function shellWord(word: string): string {
  if (PLAIN.test(word) && !ENDS_A_SENTENCE.test(word)) return word;
  // fish reads a backslash between single quotes, the other shells do not; outside of them all do.
  if (safeText(word) === word) return `'${word.replace(/['\\]/g, `'\\$&'`)}'`;
  return `"$(printf '${escaped(word, /[\w @+=:,./]/)}')"`;
}

/** For bash, zsh and ksh. Control characters become $'...', so the line stays one line and is safe to show. */
export const shellLine = (words: readonly string[]): string => lineWords(words).join(' ');

/** The same on lines of at most `columns` characters, each continued by a backslash; a longer word has a line of its own. */
export function shellLines(words: readonly string[], columns: number): string {
  const lines: string[] = [];
  for (const word of lineWords(words)) {
    const longer = `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length > 0 && longer.length <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join(' \\\n');
}

const lineWords = (words: readonly string[]): readonly string[] =>
  words.map((word, at) => {
    if (PLAIN.test(word) && !(at === 0 && word.includes('='))) return word;
    if (safeText(word) === word) return `'${word.replaceAll("'", `'\\''`)}'`;
    return `$'${escaped(word, /[^'\\]/).replaceAll('\\012', '\\n')}'`;
  });

/** Every other character as the bytes of its UTF-8, which every shell writes as they are: `\033`. */
const escaped = (word: string, kept: RegExp): string =>
  Array.from(word, (each) => (kept.test(each) && safeText(each) === each ? each : octal(each))).join('');

const octal = (character: string): string =>
  Array.from(new TextEncoder().encode(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

interface Word {
  readonly text: string;
  readonly isValue: boolean;
}

export class Words {
  readonly words: readonly Word[];
  constructor(words: readonly Word[]) {
    this.words = words;
  }
}

export const NO_WORDS: AccountWords = { account: [], addresses: [], profile: [], storage: [] };

/** A command of berth that is printed, without the flags that choose the account: `printed` adds them. */
export class CommandLine extends Words {}

class Sentence {
  readonly parts: readonly (string | CommandLine)[];
  constructor(parts: readonly (string | CommandLine)[]) {
    this.parts = parts;
  }
}

/** Text for a person. A command of berth is never written into the text: it is a part of a sentence. */
export type Message = string | CommandLine | Sentence;

type Value = string | number | Words | readonly string[];

export const names = (text: string): Words =>
  new Words(
    text
      .split(' ')
      .filter(Boolean)
      .map((each) => ({ text: each, isValue: false })),
  );

export const flags = (given: readonly string[]): Words =>
  new Words(given.map((text) => ({ text, isValue: !/^--[a-z][a-z0-9-]*$/.test(text) })));

export const berth = (literals: TemplateStringsArray, ...values: readonly Value[]): CommandLine =>
  new CommandLine(wordsOf(literals, values));

/** Template tag for a message with command lines. What follows one is punctuation, or for the shell (`| jq`, `< FILE`). */
export const sentence = (literals: TemplateStringsArray, ...values: readonly (Message | number)[]): Sentence =>
  new Sentence(literals.flatMap((literal, at) => (at === 0 ? [literal] : [...partsOf(values[at - 1]), literal])));

/** Joins messages, each on a line of its own, without those that are absent or empty. Undefined if none is left. */
export function lines(...messages: readonly (Message | undefined)[]): Message | undefined {
  const present = messages.filter((message) => message !== undefined && message !== '');
  if (present.length < 2) return present[0];
  return new Sentence(present.flatMap((message, at) => (at === 0 ? partsOf(message) : ['\n', ...partsOf(message)])));
}

export function differentLines(messages: readonly (Message | undefined)[]): Message | undefined {
  const all = messages.flatMap(linesOf).map((line) => [printed(line, { accountWords: NO_WORDS }), line] as const);
  return lines(...new Map(all).values());
}

/** A hint of one request, without its first sentence where that says that nothing was done: of several, others were. */
export function aboutOne(hint: Message | undefined): Message | undefined {
  const [first, ...others] = hint === undefined ? [] : partsOf(hint);
  if (typeof first !== 'string') return hint;
  return new Sentence([first.replace(/^Nothing (changed|was sent)\. /, ''), ...others]);
}

export function linesOf(message: Message | undefined): readonly Message[] {
  const found: (string | CommandLine)[][] = [[]];
  for (const part of message === undefined ? [] : partsOf(message)) {
    const [first = '', ...others] = typeof part === 'string' ? part.split('\n') : [part];
    found.at(-1)?.push(first);
    found.push(...others.map((other) => [other]));
  }
  return message === undefined ? [] : found.map((parts) => new Sentence(parts));
}

/** The only place where a command becomes text: quoted, with the words that choose this run's account. */
export const printed = (message: Message, run: { readonly accountWords: AccountWords }): string =>
  printedParts(message, run)
    .map(({ text }) => text)
    .join('');

export interface PrintedPart {
  readonly text: string;
  readonly isCommand: boolean;
}

export const printedParts = (
  message: Message,
  { accountWords }: { readonly accountWords: AccountWords },
): readonly PrintedPart[] =>
  partsOf(message).map((part) =>
    typeof part === 'string'
      ? { text: part, isCommand: false }
      : { text: commandText(part, accountWords), isCommand: true },
  );

const partsOf = (message: Message | number = ''): Sentence['parts'] => {
  if (message instanceof Sentence) return message.parts;
  return [typeof message === 'number' ? String(message) : message];
};

function wordsOf(literals: TemplateStringsArray, values: readonly Value[]): readonly Word[] {
  const found: Word[] = [];
  /** Whether the next text belongs to the last word: no space is between them. */
  let open = false;
  const add = (text: string, isValue = true): void => {
    const last = open ? found.pop() : undefined;
    found.push({ text: `${last?.text ?? ''}${text}`, isValue: isValue || last?.isValue === true });
  };
  for (const [at, literal] of literals.entries()) {
    for (const piece of literal.split(/(\s+)/)) {
      if (piece.trim() !== '') add(piece, false);
      open = piece === '' ? open : piece.trim() !== '';
    }
    const value = values[at];
    if (value === undefined) continue;
    const isOne = typeof value === 'string' || typeof value === 'number';
    if (isOne) add(String(value));
    else found.push(...(value instanceof Words ? value.words : value.map((text) => ({ text, isValue: true }))));
    open = isOne;
  }
  return found;
}

/** Flags that choose the account. A command that has one is for the account that it names. */
const OWN_ACCOUNT = /^--(profile|local|base-url|queue-url|rest-url)$/;

/** Commands that are of no account, or choose the local service themselves. */
const NO_ACCOUNT = /^(help|schema|completion|local (serve|exec))\b|(^| )--help$/;

/** Commands that read or change what one profile keeps, whatever the addresses of the run are. */
const OF_THE_PROFILE = /^config (get|set|unset)\b/;

const KEEPS_KEY = /^(auth|files) log(in|out)\b/;

const OF_FILES = /^files\b/;

function commandText({ words: all }: CommandLine, accountWords: AccountWords): string {
  const literals = all.filter(({ isValue }) => !isValue).map(({ text }) => text);
  return ['berth', ...wordsFor(literals, accountWords).map(shellWord), ...argumentsOf(all)].join(' ');
}

function wordsFor(
  literals: readonly string[],
  { account, addresses, profile, storage }: AccountWords,
): readonly string[] {
  const line = literals.join(' ');
  const files = OF_FILES.test(line) && !literals.includes('--storage-url') ? storage : [];
  if (NO_ACCOUNT.test(line)) return [];
  if (literals.some((text) => OWN_ACCOUNT.test(text))) return files;
  if (OF_THE_PROFILE.test(line)) return profile;
  return [...(KEEPS_KEY.test(line) && profile.length > 0 ? profile : account), ...addresses, ...files];
}

/** The words, with values quoted. A value that begins with a dash is written so that it is not read as a flag. */
function argumentsOf(all: readonly Word[]): readonly string[] {
  const isArgument = (word: Word): boolean => word.isValue && !isFlag(all[all.indexOf(word) - 1]);
  const moved = all.some((word) => isArgument(word) && isDashed(word)) ? all.filter(isArgument) : [];
  const stay = all.filter((word) => !moved.includes(word));
  const text = stay.flatMap((word, at) => {
    if (isFlag(word) && isDashed(stay[at + 1])) return [`${word.text}=${shellWord(stay[at + 1]?.text ?? '')}`];
    if (isDashed(word)) return [];
    return [word.isValue ? shellWord(word.text) : word.text];
  });
  return [...text, ...(moved.length === 0 ? [] : ['--', ...moved.map((word) => shellWord(word.text))])];
}

const isFlag = (word: Word | undefined): boolean => word?.isValue === false && word.text.startsWith('--');
const isDashed = (word: Word | undefined): boolean => word?.isValue === true && /^-./.test(word.text);

/** Words with which a printed command acts on the same account in another shell. */
export interface AccountWords {
  readonly account: readonly string[];
  readonly addresses: readonly string[];
  /** The profile whose settings are in use, named or not: for commands that read or change what it keeps. */
  readonly profile: readonly string[];
  readonly storage: readonly string[];
}
