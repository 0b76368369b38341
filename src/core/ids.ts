/**
 * Whether a text can be one segment of a path: not empty, not `.` or `..`, no control character, valid Unicode. An id
 * that fails this cannot be used in any later request.
 */
export const isUsableId = (text: string): boolean =>
  PLAIN_ID.test(text) ||
  (text !== '' && text !== '.' && text !== '..' && !/\p{Cc}/u.test(text) && !/\p{Cs}/u.test(text));

/** Nearly every id. */
const PLAIN_ID = /^[\w-]+$/;

declare const noun: unique symbol;

/**
 * The id of one resource of a kind, such as `Id<'pod'>`. A plain string is not assignable to it: a word of the command
 * line becomes an id only by a lookup.
 */
export type Id<N extends string = string> = string & { readonly [noun]: N };

/** Marks a text as an id. Only for a text that is known to be one: from an answer of the service, or a record of one. */
export const asId = <N extends string>(text: string): Id<N> => text as Id<N>;
