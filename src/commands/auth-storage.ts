import { usage } from '../core/failure.ts';
import type { StorageKey } from '../core/context.ts';
import { berth, sentence } from '../core/message.ts';
import type { CommandContext } from '../cli/model/context.ts';
import { orNull, ownObject, TEXT } from '../cli/model/output-schema.ts';
import { changeResult } from '../cli/resource/change-result.ts';
import type { Result } from '../output/view.ts';

export const STORAGE_LOGIN = ownObject({ profile: TEXT, storageUrl: orNull(TEXT) });

/** Keeps the key of the files on volumes in the profile, beside the API key. */
export async function loginStorage(ctx: CommandContext, withKey: boolean): Promise<Result> {
  const { settings } = ctx;
  const url = givenAddress(ctx);
  const key = withKey ? await readKey(ctx) : await askKey(ctx);
  await ctx.profiles.setStorageKey(settings.profile, key, url);
  return changeResult(ctx, { profile: settings.profile, storageUrl: settings.text('storage-url') ?? null }, [
    `Profile ${settings.profile} has a storage key.`,
    settings.get('storage-url') === undefined
      ? sentence`It needs the address of the files: ${berth`config set storage-url URL`}`
      : sentence`Check it: ${berth`files ls VOLUME`}`,
  ]);
}

export async function logoutStorage(ctx: CommandContext): Promise<Result> {
  const { profile } = ctx.settings;
  const existed = await ctx.profiles.setStorageKey(profile, undefined);
  const note = `Profile ${profile} ${existed ? 'has no storage key now' : 'had no storage key'}.`;
  return changeResult(ctx, { profile, forgot: existed ? 'key' : 'nothing' }, [note]);
}

/** Usage (2) for an address that the key must not be sent to. */
function givenAddress({ settings }: CommandContext): string | undefined {
  const source = settings.source('storage-url');
  return source === 'flag' || source === 'environment' ? settings.get('storage-url') : undefined;
}

async function readKey(ctx: CommandContext): Promise<StorageKey> {
  const lines = new TextDecoder().decode(await ctx.files.read('-')).split(/\r?\n/);
  const [accessKeyId = '', secretAccessKey = '', ...rest] = lines;
  if (accessKeyId === '' || secretAccessKey === '' || rest.some((line) => line.trim() !== ''))
    throw usage('stdin must have two lines', 'Write the access key in the first and the secret in the second.');
  return { accessKeyId, secretAccessKey };
}

async function askKey(ctx: CommandContext): Promise<StorageKey> {
  if (!ctx.terminal.canAsk)
    throw usage(
      'missing --with-key: there is no terminal to ask for the key on',
      sentence`Pipe it in: ${berth`auth login --storage --with-key`} < key.txt`,
    );
  return {
    accessKeyId: await ctx.prompts.secret('Access key'),
    secretAccessKey: await ctx.prompts.secret('Secret'),
  };
}
