import { createHash } from 'node:crypto';
import { usage } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';

/** The parts are empty if the text has another form. */
export interface SshKey {
  readonly text: string;
  readonly type: string;
  /** `SHA256:...`, as `ssh-keygen -l` prints it. */
  readonly fingerprint: string;
  readonly comment: string;
}

/** A type, the key, and a comment without a line break (contract, UpdateSshKeysRequest). */
const FORM = /^((?:ssh|ecdsa|sk)-\S+) (\S+)(?:[ \t]([^\n\r]*))?$/;

/** Accepts any text. */
export function readKey(text: string): SshKey {
  const [, type = '', body = '', comment = ''] = FORM.exec(text) ?? [];
  return { text, type, fingerprint: body === '' ? '' : fingerprint(body), comment: comment.trim() };
}

const fingerprint = (body: string): string =>
  `SHA256:${createHash('sha256').update(Buffer.from(body, 'base64')).digest('base64').replace(/=+$/, '')}`;

export const isSameKey = (one: SshKey, other: SshKey): boolean =>
  one.text === other.text ||
  (one.fingerprint !== '' && one.fingerprint === other.fingerprint && one.type === other.type);

/** For messages: the fingerprint, never the complete text. */
export const keyName = ({ text, type, fingerprint: print, comment }: SshKey): string =>
  safeText(print === '' ? `${text.slice(0, 24)}...` : [print, comment === '' ? type : comment].join(' '));

export function decodeKeys(bytes: Uint8Array, from: string): readonly SshKey[] {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usage(`${from} is not UTF-8 text`, 'Give the public key: the file that ends in .pub.');
  }
  return parseKeys(text, from);
}

/** Usage (2) for a line that is not a public key, without printing it: it may be a private key. */
export function parseKeys(text: string, from: string): readonly SshKey[] {
  if (text.includes('-----BEGIN'))
    throw usage(`${from} holds a private key or a certificate`, 'Give the public key: the file that ends in .pub.');
  const keys: SshKey[] = [];
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|[\n\r]/)
    .entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    if (!FORM.test(trimmed))
      throw usage(
        `${from} is not a public SSH key${text.includes('\n') ? `: line ${at + 1}` : ''}`,
        'A key is one line, such as: ssh-ed25519 AAAA... comment. Of a file, write @FILE.',
      );
    const key = readKey(trimmed);
    if (!keys.some((known) => isSameKey(known, key))) keys.push(key);
  }
  return keys;
}

/** By exact text, fingerprint or comment. Usage (2) with candidates if several match; undefined if none. */
export function findKey(keys: readonly SshKey[], word: string): SshKey | undefined {
  const trimmed = word.trim();
  const exact = keys.find(({ text }) => text.trim() === trimmed);
  if (exact !== undefined) return exact;
  const found = keys.filter(
    ({ fingerprint: print, comment }) =>
      (print !== '' && [print, print.slice('SHA256:'.length)].includes(trimmed)) ||
      (comment !== '' && comment === trimmed),
  );
  if (found.length > 1)
    throw usage(
      `${found.length} keys are named ${JSON.stringify(safeText(trimmed))}`,
      `Use a fingerprint:\n${found.map(keyName).join('\n')}`,
    );
  return found[0];
}
