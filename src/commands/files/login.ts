import type { StorageKey } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import { berth, sentence } from '../../core/message.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { oneOf, orNull, ownObject, TEXT } from '../../cli/model/output-schema.ts';
import { option } from '../../cli/model/params.ts';
import { changeResult } from '../../cli/resource/write.ts';

export const login = defineCommand({
  output: ownObject({ profile: TEXT, storageUrl: orNull(TEXT) }),
  summary: 'keep the key of the files on volumes in the profile',
  changesMachine: true,
  details:
    'Asks for the access key and for its secret, without showing them, or reads both from stdin with --with-key: the access key in the first line, the secret in the second. It is a key of its own kind, made in the console of the service, and kept beside the API key of the profile. --storage-url is kept with it: the key is sent to the address of the profile only. The variables BERTH_STORAGE_ACCESS_KEY and BERTH_STORAGE_SECRET go before it; without both, the standard AWS_* variables are used.',
  options: { withKey: option.on('read access key and secret from stdin, in two lines') },
  examples: [
    [
      'berth files login --with-key --profile lab --storage-url https://files.example.com < storage-key.txt',
      'without questions, with the address that the key is for',
    ],
  ],
  run: async (ctx, { withKey }) => {
    const { settings } = ctx;
    if (settings.local) throw usage('the local service needs no login', 'Name a profile of your own with --profile.');
    const url = givenAddress(ctx);
    const key = withKey ? await readKey(ctx) : await askKey(ctx);
    await ctx.profiles.setStorageKey(settings.profile, key, url);
    const isAddressed = settings.get('storage-url') !== undefined;
    return changeResult(ctx, { profile: settings.profile, storageUrl: settings.text('storage-url') ?? null }, [
      `Profile ${settings.profile} has a key for the files on volumes. It is kept in ${ctx.profiles.path}.`,
      isAddressed
        ? sentence`It was not checked. Check it: ${berth`files ls VOLUME`}`
        : sentence`It needs the address of the files: ${berth`config set storage-url URL`}`,
    ]);
  },
});

export const logout = defineCommand({
  output: ownObject({ profile: TEXT, forgot: oneOf('key', 'nothing') }),
  summary: 'forget the key of the files on volumes',
  changesMachine: true,
  examples: [['berth files logout --profile lab', 'the API key of the profile stays']],
  run: async (ctx) => {
    const { profile, local } = ctx.settings;
    if (local) throw usage('the local service keeps no key', 'Name a profile of your own with --profile.');
    const existed = await ctx.profiles.setStorageKey(profile, undefined);
    const note = `Profile ${profile} ${existed ? 'has no key for files now' : 'had no key for files'}.`;
    return changeResult(ctx, { profile, forgot: existed ? 'key' : 'nothing' }, [note]);
  },
});

/** Usage (2) for an address that the key must not be sent to. */
function givenAddress({ settings }: CommandContext): string | undefined {
  const source = settings.source('storage-url');
  return source === 'flag' || source === 'environment' ? settings.get('storage-url') : undefined;
}

async function readKey(ctx: CommandContext): Promise<StorageKey> {
  const lines = new TextDecoder().decode(await ctx.files.read('-')).split(/\r?\n/);
  const [accessKeyId = '', secretAccessKey = '', ...rest] = lines;
  if (accessKeyId === '' || secretAccessKey === '' || rest.some((line) => line.trim() !== ''))
    throw usage('stdin has not two lines', 'Write the access key in the first line and the secret in the second.');
  return { accessKeyId, secretAccessKey };
}

async function askKey(ctx: CommandContext): Promise<StorageKey> {
  if (!ctx.terminal.canAsk)
    throw usage(
      'missing --with-key: there is no terminal to ask for the key on',
      sentence`Pipe it in: ${berth`files login --with-key`} < key.txt`,
    );
  return {
    accessKeyId: await ctx.prompts.secret('Access key'),
    secretAccessKey: await ctx.prompts.secret('Secret'),
  };
}
