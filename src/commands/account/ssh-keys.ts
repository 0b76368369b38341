import { defineCommand, defineGroup, yesOption } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { manyOf, TEXT } from '../../cli/model/output-schema.ts';
import { arg, option } from '../../cli/model/params.ts';
import { readList } from '../../cli/resource/pages.ts';
import { listRequest } from '../../cli/resource/requests.ts';
import { ask, asks, requireYes } from '../../cli/ask.ts';
import { run } from '../../cli/hint.ts';
import { decodeKeys, findKey, isSameKey, keyName, parseKeys, readKey, type SshKey } from './keys.ts';
import type { ApiRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Choice } from '../../core/context.ts';
import { Failure, rethrowUnlessFailure, unlessFailed, usage } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { asksForData, type Result, type View } from '../../output/view.ts';

/** Retries after someone else changed the keys at the same time. */
const MAX_TRIES = 5;

const PATH = ['v2', 'account', 'ssh-keys'];
const LIST = berth`account ssh-keys list`;

const KEYS_REQUEST = listRequest({ path: PATH, member: 'keys' });

/** PUT replaces the complete set (contract rules, SSH keys). `destroys`: a key of the set is removed. */
const writeRequest = (keys: readonly string[], destroys = true): ApiRequest => ({
  service: 'base',
  method: 'PUT',
  path: PATH,
  body: { keys },
  destroys,
  expects: { list: 'keys' },
  checkCommand: LIST,
});

const keysOf = (values: readonly Json[]): readonly SshKey[] =>
  values.flatMap((key) => (typeof key === 'string' ? [readKey(key)] : []));

export const readKeys = async (ctx: CommandContext): Promise<readonly SshKey[]> =>
  keysOf((await readList(ctx.api, KEYS_REQUEST)).values);

interface Changed {
  readonly before: readonly SshKey[];
  readonly after: readonly SshKey[];
}

/** No conditional writes: re-reads, retries concurrent changes, nothing between read and write. Refused (5). */
async function changeKeys(
  ctx: CommandContext,
  change: (keys: readonly SshKey[]) => readonly SshKey[],
): Promise<Changed> {
  const before = await readKeys(ctx);
  let seen = before;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const wanted = change(seen);
    if (wanted === seen) return { before, after: seen };
    await ctx.api.send(
      writeRequest(
        wanted.map(({ text }) => text),
        !seen.every(isIn(wanted)),
      ),
    );
    const current = await readAgain(ctx, wanted);
    if (isSameSet(current, wanted)) return { before, after: current };
    await ctx.tell('Someone else changed the keys at the same time; theirs are kept.');
    seen = current;
  }
  if (change(seen) === seen) return { before, after: seen };
  throw new Failure({
    code: 'keys-moved',
    exit: EXIT.refused,
    message: `someone else changed the keys each of ${MAX_TRIES} times`,
    hint: run(LIST),
  });
}

/** If the read fails, says so and returns the written keys. */
async function readAgain(ctx: CommandContext, written: readonly SshKey[]): Promise<readonly SshKey[]> {
  try {
    return await readKeys(ctx);
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    await ctx.tell(sentence`Keys written, but they could not be read again (${error.message}). ${run(LIST)}`);
    return written;
  }
}

const isSameSet = (one: readonly SshKey[], other: readonly SshKey[]): boolean =>
  one.length === other.length && one.every(isIn(other));

const isIn =
  (keys: readonly SshKey[]) =>
  (key: SshKey): boolean =>
    keys.some((each) => isSameKey(each, key));

const KEYS = manyOf(TEXT);

const keyOf = (row: Json): SshKey => readKey(typeof row === 'string' ? row : '');

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

/** All keys where data is asked for, else a line for each that changed. */
const changed = (ctx: CommandContext, keys: readonly SshKey[], notes: readonly Message[]): Result =>
  asksForData(ctx.output)
    ? { kind: 'many', view: keyView, values: keys.map(({ text }) => text), notes }
    : { kind: 'nothing', notes: ctx.settings.get('quiet') ? [] : notes };

const list = defineCommand({
  output: KEYS,
  summary: "list the account's public SSH keys",
  examples: [['berth account ssh-keys list', 'with their fingerprints']],
  run: async (ctx) => {
    const { values } = await readList(ctx.api, KEYS_REQUEST);
    return { kind: 'many', view: keyView, values };
  },
});

/** `-` is stdin. Usage (2), local-file (14). */
const keysOfFile = async (ctx: CommandContext, file: string): Promise<readonly SshKey[]> =>
  decodeKeys(await ctx.files.read(file), file === '-' ? 'stdin' : file);

/** A path, `-` for stdin, or the key itself. Usage (2), local-file (14). */
async function keysGiven(ctx: CommandContext, given: string): Promise<readonly SshKey[]> {
  const isKey = /^(?:ssh|ecdsa|sk)-\S+\s|^-----/.test(given);
  const keys = isKey ? parseKeys(given, 'the argument') : await keysOfFile(ctx, given.replace(/^@/, ''));
  if (keys.length === 0)
    throw usage(
      `there is no key in ${isKey ? 'the argument' : given}`,
      'Give the path of a public key, or - for stdin.',
    );
  return keys;
}

async function publicKeyFiles(ctx: CommandContext): Promise<readonly string[]> {
  const folder = `${ctx.env['HOME'] ?? ctx.env['USERPROFILE'] ?? ''}/.ssh`;
  const entries = await (await ctx.durable()).entries(folder).catch(() => []);
  return entries.filter(({ name }) => name.endsWith('.pub')).map(({ name }) => `${folder}/${name}`);
}

/** The public keys of ~/.ssh that can be read. */
export async function ownPublicKeys(ctx: CommandContext): Promise<readonly SshKey[]> {
  const paths = await publicKeyFiles(ctx);
  const keys = await Promise.all(
    paths.map((path) => unlessFailed(ctx, async () => decodeKeys(await ctx.files.read(path), path))),
  );
  return keys.flatMap((each) => each ?? []);
}

/** Usage (2) if there are none. */
async function ownKeys(ctx: CommandContext): Promise<readonly Choice<string>[]> {
  const paths = await publicKeyFiles(ctx);
  if (paths.length === 0) throw usage('there is no public key in ~/.ssh', 'Make one: ssh-keygen -t ed25519');
  return await Promise.all(
    paths.map(async (path) => {
      const [key] = decodeKeys(await ctx.files.read(path), path);
      return { value: path, name: `${path}  ${key === undefined ? '' : keyName(key)}` };
    }),
  );
}

const without = (keys: readonly SshKey[], others: readonly SshKey[]): readonly SshKey[] =>
  keys.filter((key) => !others.some((other) => isSameKey(other, key)));

const add = defineCommand({
  output: KEYS,
  summary: 'add public SSH keys; they open the pods that start from then on',
  details: 'Comments are kept. An existing key is not changed. Without PATH, it offers the keys of ~/.ssh.',
  args: {
    key: arg.text('file of public keys, - for stdin, or the key itself', {
      metavar: 'PATH',
      complete: 'file',
      ask: { kind: 'pick', question: 'Key to add', choices: ownKeys },
    }),
  },
  writes: true,
  examples: [
    ['berth account ssh-keys add id_ed25519.pub', 'the key of a file'],
    ['berth account ssh-keys add "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAMc ci@runner"', 'the key itself'],
    ['berth account ssh-keys add - < id_ed25519.pub', 'from stdin'],
  ],
  run: async (ctx, { key }) => {
    const given = await keysGiven(ctx, key);
    const { before, after } = await changeKeys(ctx, (keys) => {
      const missing = without(given, keys);
      return missing.length === 0 ? keys : [...keys, ...missing];
    });
    const added = without(given, before);
    return changed(ctx, after, [
      ...added.map((each) => `added key ${keyName(each)}`),
      ...without(given, added).map((each) => `key ${keyName(each)} is already there`),
    ]);
  },
});

function keysNamed(keys: readonly SshKey[], words: readonly string[]): readonly SshKey[] {
  const found = words.map((word) => {
    const key = findKey(keys, word);
    if (key !== undefined) return key;
    throw new Failure({
      code: 'not-found',
      exit: EXIT.notFound,
      message: `no key has the comment, fingerprint or text ${JSON.stringify(word)}`,
      hint: keys.length === 0 ? 'There are no keys.' : `There are:\n${keys.map(keyName).join('\n')}`,
    });
  });
  return [...new Set(found)];
}

const remove = defineCommand({
  output: KEYS,
  summary: 'remove public SSH keys, by comment, fingerprint or text',
  details: 'Pods that run already keep the keys they started with.',
  args: { key: arg.ids('comments, fingerprints (SHA256:...) or whole keys') },
  options: { yes: yesOption },
  writes: true,
  destroys: true,
  examples: [['berth account ssh-keys remove me@laptop --yes', 'the key with that comment']],
  run: async (ctx, { key }) => {
    requireYes(ctx);
    let named: readonly SshKey[] | undefined;
    if (asks(ctx)) {
      named = keysNamed(await readKeys(ctx), key);
      await ask(ctx, { line: `SSH keys will be removed: ${named.map(keyName).join(', ')}.` });
    }
    const { after } = await changeKeys(ctx, (keys) => {
      // Resolved once: on a second try a removed key is not found any more.
      named ??= keysNamed(keys, key);
      const left = without(keys, named);
      return left.length === keys.length ? keys : left;
    });
    return changed(
      ctx,
      after,
      (named ?? []).map((each) => `removed key ${keyName(each)}`),
    );
  },
});

/** Usage (2) for an empty set without `--none`. */
async function wholeSet(ctx: CommandContext, file: string | undefined, none: boolean): Promise<readonly SshKey[]> {
  if (none && file !== undefined) throw usage('FILE and --none exclude each other', 'Keep one of them.');
  if (none) return [];
  if (file === undefined) throw usage('missing FILE', 'A file with one public key a line, or - for stdin.');
  const keys = await keysOfFile(ctx, file);
  if (keys.length === 0) throw usage(`${file} holds no key`, 'To remove every key: --none.');
  return keys;
}

const set = defineCommand({
  output: KEYS,
  summary: 'replace all public SSH keys with those of a file',
  details: 'The file has one key a line, as authorized_keys does; empty lines and lines that begin with # are skipped.',
  args: { file: arg.optional('file of keys, or - for stdin', { complete: 'file' }) },
  options: { none: option.on('remove every key'), yes: yesOption },
  writes: true,
  destroys: true,
  examples: [
    ['berth account ssh-keys set team.keys --yes', 'these keys and no other'],
    ['berth account ssh-keys set --none --yes', 'remove every key'],
  ],
  run: async (ctx, { file, none }) => {
    requireYes(ctx);
    const wanted = await wholeSet(ctx, file, none);
    const before = await readKeys(ctx);
    const [added, removed] = [without(wanted, before), without(before, wanted)];
    const named = removed.length === 0 ? '' : ` (${removed.map(keyName).join(', ')})`;
    await ask(ctx, { line: `SSH keys: ${added.length} will be added, ${removed.length} removed${named}.` });
    await ctx.api.send(writeRequest(wanted.map(({ text }) => text)));
    const after = await readAgain(ctx, wanted);
    return changed(ctx, after, [
      ...added.map((key) => `added key ${keyName(key)}`),
      ...removed.map((key) => `removed key ${keyName(key)}`),
      ...(isSameSet(after, wanted) ? [] : [sentence`Someone else changed the keys at the same time. ${run(LIST)}`]),
    ]);
  },
});

export const sshKeys = defineGroup('public SSH keys, given to every pod that starts with SSH', {
  list,
  add,
  remove,
  set,
});
