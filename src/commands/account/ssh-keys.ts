import { defineCommand, defineGroup, yesOption } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { manyOf, TEXT } from '../../cli/model/output-schema.ts';
import { arg, option } from '../../cli/model/params.ts';
import { readList } from '../../cli/resource/pages.ts';
import { listRequest } from '../../cli/resource/requests.ts';
import { ask, requireYes } from '../../cli/ask.ts';
import { decodeKeys, findKey, isSameKey, keyName, parseKeys, readKey, type SshKey } from './keys.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Choice } from '../../core/context.ts';
import { Failure, unlessFailed, usage } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import { berth, type Message } from '../../core/message.ts';
import { asksForData, type Result, type View } from '../../output/view.ts';

const PATH = ['v2', 'account', 'ssh-keys'];

const KEYS_REQUEST = listRequest({ path: PATH, member: 'keys' });

const keysOf = (values: readonly Json[]): readonly SshKey[] =>
  values.flatMap((key) => (typeof key === 'string' ? [readKey(key)] : []));

export const readKeys = async (ctx: CommandContext): Promise<readonly SshKey[]> =>
  keysOf((await readList(ctx.api, KEYS_REQUEST)).values);

/** PUT replaces the complete set (contract rules, SSH keys). The notes say what changed; with -o all keys are printed. */
async function replaceKeys(
  ctx: CommandContext,
  before: readonly SshKey[],
  wanted: readonly SshKey[],
  notes: readonly Message[] = [],
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
  const lines = [
    ...added.map((key) => `added key ${keyName(key)}`),
    ...removed.map((key) => `removed key ${keyName(key)}`),
    ...notes,
  ];
  return asksForData(ctx.output)
    ? { kind: 'many', view: keyView, values: wanted.map(({ text }) => text), notes: lines }
    : { kind: 'nothing', notes: ctx.settings.get('quiet') ? [] : lines };
}

const without = (keys: readonly SshKey[], others: readonly SshKey[]): readonly SshKey[] =>
  keys.filter((key) => !others.some((other) => isSameKey(other, key)));

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
    const before = await readKeys(ctx);
    const missing = without(given, before);
    const known = without(given, missing).map((each) => `key ${keyName(each)} is already there`);
    return await replaceKeys(ctx, before, [...before, ...missing], known);
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
    const before = await readKeys(ctx);
    const named = keysNamed(before, key);
    await ask(ctx, { line: `SSH keys will be removed: ${named.map(keyName).join(', ')}.` });
    return await replaceKeys(ctx, before, without(before, named));
  },
});

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
    if (none === (file !== undefined)) throw usage('use either FILE or --none');
    const wanted = file === undefined ? [] : await keysOfFile(ctx, file);
    if (wanted.length === 0 && !none) throw usage(`${file ?? ''} holds no key`, 'To remove every key: --none.');
    const before = await readKeys(ctx);
    const [added, removed] = [without(wanted, before), without(before, wanted)];
    const named = removed.length === 0 ? '' : ` (${removed.map(keyName).join(', ')})`;
    await ask(ctx, { line: `SSH keys: ${added.length} will be added, ${removed.length} removed${named}.` });
    return await replaceKeys(ctx, before, wanted);
  },
});

export const sshKeys = defineGroup('public SSH keys, given to every pod that starts with SSH', {
  list,
  add,
  remove,
  set,
});
