import { usage } from '../failure.ts';

/**
 * The text of bytes that a user gave, without a byte order mark. Fails with usage (2), and the line and column, where they are not
 * UTF-8: a text with replaced characters would be sent, or stored, as another one. `from` names them in the message.
 */
export function utf8Text(bytes: Uint8Array, from: string, hint: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const valid = bytes.subarray(0, validPrefixLength(bytes));
    const lines = new TextDecoder().decode(valid, { stream: true }).split('\n');
    throw usage(
      `${from} is not UTF-8 text: line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}: byte ${valid.length + 1} is broken`,
      hint,
    );
  }
}

/** The length of the longest prefix that is valid UTF-8, found by binary search. */
function validPrefixLength(bytes: Uint8Array): number {
  let valid = 0;
  let invalid = bytes.length;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    if (decodes(bytes.subarray(0, middle))) valid = middle;
    else invalid = middle;
  }
  return valid;
}

function decodes(bytes: Uint8Array): boolean {
  try {
    // `stream` accepts a character that is cut off at the end, so only an invalid one fails.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns what takes bytes of UTF-8 in pieces and passes them on as text: a character that is cut between two pieces is in
 * the second one. Bytes that are not UTF-8 become U+FFFD; an incomplete character at the end is left out.
 */
export function asText(onText: (text: string) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return (bytes) => {
    onText(decoder.decode(bytes, { stream: true }));
  };
}
