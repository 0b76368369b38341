import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { version } from '../../../package.json';
import { usage } from '../../core/failure.ts';
import type { VolumeFiles, VolumePlace } from '../../core/file-ports.ts';
import { berth, sentence } from '../../core/message.ts';
import { say } from '../../core/safe-text.ts';
import type { Bytes, Milliseconds } from '../../core/unit-types.ts';
import type { ConnectionOptions } from './connection.ts';
import { type TraceEvent, traceLine } from '../../http/trace.ts';
import type { Settings } from '../../settings/create-settings.ts';
import { openVolumeFiles, type StorageKey } from '../../storage/volume-files.ts';

/** Smaller, it would be cleaned up too often. */
const NEW_SPACE_BYTES: Bytes = 4 * 1024 * 1024;

/** Percent of what is used after the last clean-up. */
const OLD_GROWTH_PERCENT = 20;

const CHECK_MS: Milliseconds = 20;

/** For millions of names: else the heap grows to several times its use. Nothing undoes it. */
function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${String(OLD_GROWTH_PERCENT)}`);
  const timer = setInterval(() => {
    const size = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
    if (size < NEW_SPACE_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    clearInterval(timer);
  }, CHECK_MS);
  timer.unref();
}

type HostVolumesOptions = Pick<ConnectionOptions, 'runtime' | 'settings' | 'signal' | 'stderr'>;

/** `close` closes the connections of all volumes. */
export function openHostVolumes({ runtime, settings, signal, stderr }: HostVolumesOptions) {
  const { env, clock, random } = runtime;
  const trace = (event: TraceEvent): void => void stderr.write(say`${traceLine(event)}\n`);
  const opened: { close(): Promise<void> }[] = [];
  return {
    open: async (place: VolumePlace): Promise<VolumeFiles> => {
      if (runtime.exitsAfterRun) keepHeapSmall();
      const client = {
        ...{ clock, random, signal, userAgent: `berth/${version}` },
        retries: settings.get('retries'),
        timeoutMs: settings.get('timeout'),
        trace: settings.get('verbose') ? trace : undefined,
      };
      if (settings.local) {
        const { openLocalTransport } = await import('./local-transport.ts');
        const local = openLocalTransport(settings.dataDirectory, runtime);
        opened.push(local.transport);
        const own = { ...local.storageKey, from: 'the local service' };
        return openVolumeFiles({ ...client, transport: local.transport }, place, {
          ...{ url: local.origin, urlFrom: 'the local service', own, env },
        });
      }
      const { createTransport } = await import('../../http/wire/client.ts');
      const transport = createTransport({ env });
      opened.push(transport);
      return openVolumeFiles({ ...client, transport }, place, {
        ...{ url: settings.get('storage-url'), urlFrom: addressFrom(settings), own: ownKey(settings), env },
      });
    },
    close: async (): Promise<void> => {
      await Promise.all(opened.map((each) => each.close()));
    },
  };
}

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
