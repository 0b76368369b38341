/** The account's public SSH keys: one set, which a write replaces (contract rules, SSH keys). */
import { createHash } from 'node:crypto';
import { ask, asks, requireYes } from '../../cli/ask.ts';
import { run } from '../../cli/hint.ts';
import { defineCommand, defineGroup, yesOption } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { manyOf, TEXT } from '../../cli/model/output-schema.ts';
import { arg } from '../../cli/model/params.ts';
import { listRequest, readList } from '../../cli/resource/pages.ts';
import type { Choice } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, unlessFailed, usage } from '../../core/failure.ts';
import { type Json, stringOf } from '../../core/json.ts';
import { berth, type Message } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import { asksForData, type Result, type View } from '../../output/view.ts';

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
  const hash = createHash('sha256').update(Buffer.from(body, 'base64')).digest('base64').replace(/=+$/, '');
  return { text, type, fingerprint: body === '' ? '' : `SHA256:${hash}`, comment: comment.trim() };
}

export const isSameKey = (one: SshKey, other: SshKey): boolean =>
  one.text === other.text || (one.fingerprint !== '' && one.fingerprint === other.fingerprint);

const without = (keys: readonly SshKey[], others: readonly SshKey[]): readonly SshKey[] =>
  keys.filter((key) => !others.some((other) => isSameKey(other, key)));

/** For messages: the fingerprint, never the complete text. */
const keyName = ({ text, type, fingerprint, comment }: SshKey): string =>
  safeText(fingerprint === '' ? `${text.slice(0, 24)}...` : `${fingerprint} ${comment === '' ? type : comment}`);

/** Usage (2) for a line that is not a public key, without printing it: it may be a private key. */
function parseKeys(text: string, from: string): readonly SshKey[] {
  if (text.includes('-----BEGIN'))
    throw usage(`${from} holds a private key or a certificate`, 'Give the public key: the file that ends in .pub.');
  const keys: SshKey[] = [];
  for (const [at, line] of text.split(/\r\n|[\n\r]/).entries()) {
    const key = readKey(line.trim());
    if (key.text === '' || key.text.startsWith('#') || keys.some((known) => isSameKey(known, key))) continue;
    if (key.fingerprint === '')
      throw usage(
        `${from} is not a public SSH key: line ${at + 1}`,
        'A key is one line, such as: ssh-ed25519 AAAA... comment.',
      );
    keys.push(key);
  }
  if (keys.length === 0) throw usage(`there is no key in ${from}`, 'Give the path of a public key, or - for stdin.');
  return keys;
}

/** `-` is stdin. Usage (2), local-file (14). */
const keysOfFile = async (ctx: CommandContext, file: string): Promise<readonly SshKey[]> =>
  parseKeys(new TextDecoder().decode(await ctx.files.read(file)), file === '-' ? 'stdin' : file);

/** The public keys of ~/.ssh that can be read. */
export async function ownPublicKeys(ctx: CommandContext): Promise<readonly SshKey[]> {
  const folder = `${ctx.env['HOME'] ?? ctx.env['USERPROFILE'] ?? ''}/.ssh`;
  const entries = await (await ctx.durable()).entries(folder).catch(() => []);
  const names = entries.map(({ name }) => name).filter((name) => name.endsWith('.pub'));
  const keys = await Promise.all(names.map((name) => unlessFailed(ctx, () => keysOfFile(ctx, `${folder}/${name}`))));
  return keys.flatMap((each) => each ?? []);
}

async function offeredKeys(ctx: CommandContext): Promise<readonly Choice<string>[]> {
  const keys = await ownPublicKeys(ctx);
  if (keys.length === 0) throw usage('there is no public key in ~/.ssh', 'Make one: ssh-keygen -t ed25519');
  return keys.map((key) => ({ value: key.text, name: keyName(key) }));
}

const PATH = ['v2', 'account', 'ssh-keys'];

const readRows = async (ctx: CommandContext): Promise<readonly Json[]> =>
  (await readList(ctx.api, listRequest({ path: PATH, member: 'keys' }))).values;

export const readKeys = async (ctx: CommandContext): Promise<readonly SshKey[]> =>
  (await readRows(ctx)).flatMap((key) => (typeof key === 'string' ? readKey(key) : []));

const keyOf = (row: Json): SshKey => readKey(stringOf(row) ?? '');

/** Sends the new set. Notes say what changed; with -o all keys are printed. */
async function replaceKeys(
  ctx: CommandContext,
  before: readonly SshKey[],
  wanted: readonly SshKey[],
  known: readonly Message[] = [],
): Promise<Result> {
  const [added, removed] = [without(wanted, before), without(before, wanted)];
  if (added.length > 0 || removed.length > 0)
    await ctx.api.send({
      service: 'base',
      method: 'PUT',
      path: PATH,
      body: { keys: wanted.map(({ text }) => text) },
      destroys: removed.length > 0,
      expects: { list: 'keys' },
      checkCommand: berth`account ssh-keys list`,
    });
  const notes = [
    ...added.map((key) => `added key ${keyName(key)}`),
    ...removed.map((key) => `removed key ${keyName(key)}`),
    ...known,
  ];
  return asksForData(ctx.output)
    ? { kind: 'many', view: keyView, values: wanted.map(({ text }) => text), notes }
    : { kind: 'nothing', notes: ctx.settings.get('quiet') ? [] : notes };
}

const KEYS = manyOf(TEXT);

const keyView: View = {
  noun: ['SSH key', 'SSH keys'],
  id: (row) => keyOf(row).fingerprint,
  members: ['value'],
  columns: [
    { header: 'COMMENT', show: (row) => keyOf(row).comment },
    { header: 'TYPE', show: (row) => keyOf(row).type },
    { header: 'FINGERPRINT', show: (row) => keyOf(row).fingerprint },
    { header: 'KEY', show: (row) => keyOf(row).text, wide: true },
  ],
};

const list = defineCommand({
  output: () => KEYS,
  summary: "list the account's public SSH keys",
  examples: [['berth account ssh-keys list', 'with their fingerprints']],
  run: async (ctx) => ({ kind: 'many', view: keyView, values: await readRows(ctx) }),
});

const add = defineCommand({
  output: () => KEYS,
  summary: 'add public SSH keys; they open the pods that start from then on',
  details: 'Comments are kept. An existing key is not changed. Without PATH, it offers the keys of ~/.ssh.',
  args: {
    key: arg.text('file of public keys, - for stdin, or the key itself', {
      metavar: 'PATH',
      complete: 'file',
      ask: { kind: 'pick', question: 'Key to add', choices: offeredKeys },
    }),
  },
  writes: true,
  examples: [
    ['berth account ssh-keys add id_ed25519.pub', 'the key of a file'],
    ['berth account ssh-keys add "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAMc ci@runner"', 'the key itself'],
    ['berth account ssh-keys add - < id_ed25519.pub', 'from stdin'],
  ],
  run: async (ctx, { key }) => {
    const isKey = /^(?:ssh|ecdsa|sk)-\S+\s|^-----/.test(key);
    const given = isKey ? parseKeys(key, 'the argument') : await keysOfFile(ctx, key);
    const before = await readKeys(ctx);
    const missing = without(given, before);
    const known = without(given, missing).map((each) => `key ${keyName(each)} is already there`);
    return await replaceKeys(ctx, before, [...before, ...missing], known);
  },
});

/** By text, fingerprint or comment. Not-found (4); usage (2) with candidates if several have the comment. */
function keyCalled(keys: readonly SshKey[], word: string): SshKey {
  const found = keys.filter(({ text, fingerprint, comment }) =>
    [text.trim(), fingerprint, fingerprint.replace('SHA256:', ''), comment].includes(word.trim()),
  );
  const [key, ...others] = found;
  if (key !== undefined && others.length === 0) return key;
  const quoted = JSON.stringify(safeText(word));
  if (key !== undefined)
    throw usage(`${found.length} keys are named ${quoted}: ${found.map(keyName).join(', ')}`, 'Use a fingerprint.');
  throw new Failure({
    code: 'not-found',
    exit: EXIT.notFound,
    message: `no key has the comment, fingerprint or text ${quoted}`,
    hint: run(berth`account ssh-keys list`),
  });
}

const remove = defineCommand({
  output: () => KEYS,
  summary: 'remove public SSH keys, by comment, fingerprint or text',
  details: 'Pods that run already keep the keys they started with.',
  args: { key: arg.ids('comments, fingerprints (SHA256:...) or whole keys') },
  options: { yes: yesOption },
  writes: true,
  destroys: true,
  examples: [['berth account ssh-keys remove me@laptop --yes', 'the key with that comment']],
  run: async (ctx, { key }) => {
    requireYes(ctx);
    const shown = await readKeys(ctx);
    const named = [...new Set(key.map((word) => keyCalled(shown, word)))];
    await ask(ctx, { line: `SSH keys will be removed: ${named.map(keyName).join(', ')}.` });
    // A key that was added while the question stood is kept.
    const before = asks(ctx) ? await readKeys(ctx) : shown;
    return await replaceKeys(ctx, before, without(before, named));
  },
});

export const sshKeys = defineGroup('public SSH keys, given to every pod that starts with SSH', { list, add, remove });
