import { berth, names, sentence, type Message } from '../../core/message.ts';

/** The plural of a noun: `jobs`, `registries`. */
export const pluralOf = (one: string): string => (/[^aeiou]y$/.test(one) ? `${one.slice(0, -1)}ies` : `${one}s`);

/** A noun with its article: `a pod`, `an endpoint`. */
export const withArticle = (one: string): string => `${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}`;

/** A count with its noun: `1 job`, `3 jobs`. */
export const countOf = (count: number, one: string, many = pluralOf(one)): string =>
  `${count} ${count === 1 ? one : many}`;

/** A text of help as a message: `see berth catalog gpus` is at its end. */
export function helpMessage(text: string): Message {
  const { before = '', command } = /^(?<before>.*?)`?berth (?<command>[a-z -]+)`?$/.exec(text)?.groups ?? {};
  return command === undefined ? text : sentence`${before}${berth`${names(command)}`}`;
}
