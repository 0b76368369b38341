import type { RangeFiles } from '../../core/context.ts';
import type { VolumeFiles, VolumePlace } from '../../core/ports/volume-files.ts';
import type { GivenSettings } from '../../local/index.ts';
import { usage } from '../../core/failure.ts';
import { berth, sentence } from '../../core/message.ts';
import type { FoundCredentials } from '../../storage/s3/credentials/find-credentials.ts';
import { openVolumeFiles } from '../../storage/open-volume-files.ts';
import { storagePorts, type HostStorageOptions } from './storage.ts';

/** Volumes whose files are open. */
export interface OpenVolumes {
  open(place: VolumePlace): Promise<VolumeFiles>;
  close(): Promise<void>;
}

/** Opens the files of volumes with the settings of this run: over the network, or on the local service in this process. */
export function openHostVolumes(
  options: HostStorageOptions & { readonly files: RangeFiles; readonly localService: GivenSettings },
): OpenVolumes {
  const { settings, runtime, localService } = options;
  const { env, clock, random } = runtime;
  const opened: { close(): Promise<void> }[] = [];
  return {
    open: async (place) => {
      if (runtime.exitsAfterRun) (await import('../runtime/heap-growth.ts')).keepHeapSmall();
      const ports = { ...storagePorts(options), files: options.files };
      if (settings.local) {
        const { openLocalTransport } = await import('./local-transport.ts');
        const local = openLocalTransport(settings.dataDirectory, { clock, random, runtime, ...localService });
        opened.push(local.transport);
        return openVolumeFiles(ports, local.transport, place, {
          url: local.origin,
          own: { credentials: local.storageKey, source: 'the local service', readAgain: undefined },
        });
      }
      const { createTransport } = await import('../../http/wire/client.ts');
      const transport = createTransport({ env });
      opened.push(transport);
      return openVolumeFiles(ports, transport, place, { url: settings.get('storage-url'), own: ownKey(settings) });
    },
    close: async () => {
      await Promise.all(opened.map((each) => each.close()));
    },
  };
}

/**
 * The key of berth's own, of the environment or the profile. Fails with usage (2) where the profile's would be sent to an
 * address that is not the profile's.
 */
function ownKey(settings: HostStorageOptions['settings']): FoundCredentials | undefined {
  const found = settings.storageKey();
  if (found === undefined) return undefined;
  const { source, ...credentials } = found;
  if (source === 'environment')
    return { credentials, source: 'the variable BERTH_STORAGE_ACCESS_KEY', readAgain: undefined };
  const addressSource = settings.source('storage-url');
  if (addressSource === 'flag' || addressSource === 'environment')
    throw usage(
      `the key of profile "${settings.profile}" is sent only to the storage-url that the profile keeps, and ${addressSource === 'flag' ? '--storage-url' : 'BERTH_STORAGE_URL'} names another one`,
      sentence`Keep the address with its key: ${berth`files login --storage-url ${settings.get('storage-url') ?? ''}`}. Or set BERTH_STORAGE_ACCESS_KEY and BERTH_STORAGE_SECRET.`,
    );
  return { credentials, source: `profile "${settings.profile}"`, readAgain: undefined };
}
