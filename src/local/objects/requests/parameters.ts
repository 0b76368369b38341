import { invalidArgument } from '../answers/object-error.ts';

/** The parameters of a query, decoded. */
export type Parameters = ReadonlyMap<string, string>;

/** Encodes keys where a client asks for it: XML cannot carry every character. */
export function encoderOf(parameters: Parameters): (key: string) => string {
  const encoding = parameters.get('encoding-type');
  if (encoding === undefined) return (key) => key;
  if (encoding !== 'url') throw invalidArgument('The encoding-type can only be url.');
  return (key) => encodeURIComponent(key).replaceAll('%2F', '/').replaceAll("'", '%27');
}

/** A number of a parameter or a header. Throws the refusal of another text. */
export function numberOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw invalidArgument(`${text} is not a number.`);
  return Number(text);
}
