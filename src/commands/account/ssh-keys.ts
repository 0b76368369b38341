import { type Message, sentence } from '../../core/message.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import { defineCommand, defineGroup } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { arg, option } from '../../cli/model/params.ts';
import { readList } from '../../cli/resource/pages/read-list.ts';
import { unlessUnread } from '../../cli/run/context/dry-run.ts';
import { countOf } from '../../cli/words/words.ts';
import type { Result, View } from '../../output/view.ts';
import { changeKeys, isSameSet, keysOf, LIST, readAgain, readKeys, writeRequest, KEYS_REQUEST } from './change.ts';
import { decodeKeys, findKey, isSameKey, keyName, parseKeys, readKey, type SshKey } from './keys.ts';
import { manyOf, TEXT } from '../../cli/model/output-schema.ts';

/** What is printed: the text of each key. */
const KEYS = manyOf(TEXT);

/** A row is the text of a key, as in the service's answer. */
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

/** The set of keys after a change, with notes about what changed. */
const shown = (keys: readonly SshKey[], notes: readonly Message[]): Extract<Result, { kind: 'many' }> => ({
  kind: 'many',
  view: keyView,
  values: keys.map(({ text }) => text),
  notes,
});

const list = defineCommand({
  output: KEYS,
  summary: "list the account's public SSH keys",
  examples: [['berth account ssh-keys list', 'with their fingerprints']],
  run: async (ctx) => {
    const { values, sources } = await readList(ctx.api, KEYS_REQUEST);
    return { ...shown(keysOf(values), []), sources };
  },
});

/** The keys of a file; `-` is stdin. Fails with usage (2), with local-file (14). */
const keysOfFile = async (ctx: CommandContext, file: string): Promise<readonly SshKey[]> =>
  decodeKeys(await ctx.files.read(file), file === '-' ? 'stdin' : file);

/** The keys of an argument: the key itself, `@FILE`, or `-` for stdin. Fails with usage (2), with local-file (14). */
async function keysGiven(ctx: CommandContext, given: string): Promise<readonly SshKey[]> {
  const keys =
    given === '-' || given.startsWith('@')
      ? await keysOfFile(ctx, given.replace(/^@/, ''))
      : parseKeys(given, 'the argument');
  if (keys.length === 0) throw usage('there is no key in the argument', 'Give a public key, @FILE, or - for stdin.');
  return keys;
}

/**
 * The dry run of a change to the present keys: both requests, with `unread` in place of keys that cannot be read. Fails as
 * `change` does.
 */
async function preview(
  ctx: CommandContext,
  change: (keys: readonly SshKey[]) => readonly SshKey[],
  unread: readonly string[],
): Promise<never> {
  const after = await unlessUnread(ctx, async () => change(await readKeys(ctx)).map(({ text }) => text));
  return await ctx.previewAll([KEYS_REQUEST, writeRequest(after ?? unread)]);
}

/** The keys that are not among the others. */
const without = (keys: readonly SshKey[], others: readonly SshKey[]): readonly SshKey[] =>
  keys.filter((key) => !others.some((other) => isSameKey(other, key)));

const add = defineCommand({
  output: KEYS,
  summary: 'add public SSH keys; they open the pods that start from then on',
  details: 'Comments are kept. An existing key is not changed.',
  args: { key: arg.text('the public key itself, @FILE, or - for stdin', { complete: '@file' }) },
  writes: true,
  examples: [
    ['berth account ssh-keys add @id_ed25519.pub', 'the key of a file'],
    ['berth account ssh-keys add "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAMc ci@runner"', 'the key itself'],
    ['berth account ssh-keys add - < id_ed25519.pub', 'from stdin'],
  ],
  run: async (ctx, { key }) => {
    const given = await keysGiven(ctx, key);
    const change = (keys: readonly SshKey[]): readonly SshKey[] => {
      const missing = without(given, keys);
      return missing.length === 0 ? keys : [...keys, ...missing];
    };
    if (ctx.dryRun) return await preview(ctx, change, ['(the keys that are there)', ...given.map(({ text }) => text)]);
    const { before, after } = await changeKeys(ctx, change);
    const added = without(given, before);
    return shown(after, [
      ...added.map((each) => `Added ${keyName(each)}.`),
      ...without(given, added).map((each) => `${keyName(each)} is there already.`),
    ]);
  },
});

/** The keys that the words name, each once. Fails with not-found (4) for a word without a key. */
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
  writes: true,
  confirm: async (ctx, { key }) => {
    const named = keysNamed(await readKeys(ctx), key);
    return `This removes ${countOf(named.length, 'SSH key')}: ${named.map(keyName).join(', ')}.`;
  },
  examples: [['berth account ssh-keys remove me@laptop --yes', 'the key with that comment']],
  run: async (ctx, { key }) => {
    if (ctx.dryRun)
      return await preview(ctx, (keys) => without(keys, keysNamed(keys, key)), [
        `(the keys that are there, without ${key.join(', ')})`,
      ]);
    let named: readonly SshKey[] | undefined;
    const { after } = await changeKeys(ctx, (keys) => {
      // Names are resolved once: on a second try a removed key is not found any more.
      named ??= keysNamed(keys, key);
      const left = without(keys, named);
      return left.length === keys.length ? keys : left;
    });
    return shown(
      after,
      (named ?? []).map((each) => `Removed ${keyName(each)}.`),
    );
  },
});

/** The keys that `set` writes. Fails with usage (2) where there are none and `--none` is not given. */
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
  options: { none: option.on('remove every key') },
  writes: true,
  // Read once: what was asked about is what is sent, and stdin has it once.
  prepare: (ctx, { file, none }) => wholeSet(ctx, file, none),
  confirm: async (ctx, _, wanted) => {
    const keys = await readKeys(ctx);
    const going = without(keys, wanted);
    const named = going.length === 0 ? '' : ` (${going.map(keyName).join(', ')})`;
    return `This replaces the account's ${countOf(keys.length, 'SSH key')}: ${without(wanted, keys).length} added, ${going.length} removed${named}.`;
  },
  examples: [
    ['berth account ssh-keys set team.keys --yes', 'these keys and no other'],
    ['berth account ssh-keys set --none --yes', 'remove every key'],
  ],
  run: async (ctx, _, wanted) => {
    const request = writeRequest(wanted.map(({ text }) => text));
    if (ctx.dryRun) return await ctx.previewAll([request]);
    const before = await readKeys(ctx);
    await ctx.api.send(request);
    const after = await readAgain(ctx, wanted);
    return shown(after, [
      ...without(wanted, before).map((key) => `Added ${keyName(key)}.`),
      ...without(before, wanted).map((key) => `Removed ${keyName(key)}.`),
      ...(isSameSet(after, wanted) ? [] : [sentence`Someone else changed the keys at the same time. See ${LIST}`]),
    ]);
  },
});

export const sshKeys = defineGroup('public SSH keys, given to every pod that starts with SSH', {
  list,
  add,
  remove,
  set,
});
