import { version } from '../../../package.json';
import { usage } from '../../core/failure.ts';
import type { VolumeFiles, VolumePlace } from '../../core/file-ports.ts';
import { berth, sentence } from '../../core/message.ts';
import { say } from '../../core/safe-text.ts';
import type { ConnectionOptions, OpenConnection } from './connection.ts';
import { type TraceEvent, traceLine } from '../../http/trace.ts';
import type { Settings } from '../../settings/settings.ts';
import { openVolumeFiles, type StorageKey } from '../../storage/volume-files.ts';

export async function openHostVolume(
  place: VolumePlace,
  { runtime, settings, signal, stderr }: ConnectionOptions,
  { openLocal, openRemote }: OpenConnection,
): Promise<VolumeFiles> {
  const { env, clock, random } = runtime;
  const trace = (event: TraceEvent): void => void stderr.write(say`${traceLine(event)}\n`);
  const client = {
    clock,
    random,
    signal,
    userAgent: `berth/${version}`,
    retries: settings.get('retries'),
    timeoutMs: settings.get('timeout'),
    trace: settings.get('verbose') ? trace : undefined,
  };
  if (settings.local) {
    const { transport, origin, storageKey } = await openLocal();
    const own = { ...storageKey, from: LOCAL };
    return openVolumeFiles({ ...client, transport }, place, { url: origin, urlFrom: LOCAL, own, env });
  }
  const remote = { url: settings.get('storage-url'), urlFrom: addressFrom(settings), own: ownKey(settings), env };
  return openVolumeFiles({ ...client, transport: await openRemote() }, place, remote);
}

const LOCAL = 'the local service';

function addressFrom(settings: Settings): string {
  const source = settings.source('storage-url');
  if (source === 'flag') return '--storage-url';
  return source === 'environment' ? 'BERTH_STORAGE_URL' : `storage-url of profile ${settings.profile}`;
}

/** Usage (2) if the profile's key would be sent to an address that is not the profile's. */
function ownKey(settings: Settings): StorageKey | undefined {
  const found = settings.storageKey();
  if (found === undefined) return undefined;
  const { source, ...credentials } = found;
  if (source === 'environment') return { ...credentials, from: 'BERTH_STORAGE_ACCESS_KEY and BERTH_STORAGE_SECRET' };
  const addressSource = settings.source('storage-url');
  if (addressSource === 'flag' || addressSource === 'environment')
    throw usage(
      `the key of profile "${settings.profile}" is sent only to the storage-url that the profile keeps, and ${addressSource === 'flag' ? '--storage-url' : 'BERTH_STORAGE_URL'} names another one`,
      sentence`Keep the address with its key: ${berth`auth login --storage --storage-url ${settings.get('storage-url') ?? ''}`}. Or set BERTH_STORAGE_ACCESS_KEY and BERTH_STORAGE_SECRET.`,
    );
  return { ...credentials, from: `profile ${settings.profile}` };
}
