import { decodeJson, encodeJson, memberAt, stringOf, type Json } from '../core/json.ts';

/** Longer texts are not parsed. */
const MAX_PARSED_LENGTH = 100_000;

/**
 * The reason in a job's error as one line; undefined when it has none. An error is a string, and often JSON with the
 * message in it (contract rules, Queue API). Of a Python traceback it is the last line, which has the error.
 */
export function jobError(job: Json | undefined): string | undefined {
  const error = memberAt(job, 'error');
  if (error === undefined || error === null || error === '') return undefined;
  const text = stringOf(error) ?? encodeJson(error);
  const message = messageIn(text) ?? text;
  const line = /^\s*Traceback /.test(message) ? message.trimEnd().split('\n').at(-1) : message;
  return (line ?? message).replaceAll(/\s+/g, ' ').trim();
}

function messageIn(text: string): string | undefined {
  if (!text.startsWith('{') || text.length > MAX_PARSED_LENGTH) return undefined;
  try {
    const value = decodeJson(text);
    return stringOf(memberAt(value, 'error_message')) ?? stringOf(memberAt(value, 'message'));
  } catch {
    return undefined;
  }
}
