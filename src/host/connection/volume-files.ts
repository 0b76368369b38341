import type { DurableFiles } from '../../core/context.ts';
import type { VolumeFiles, VolumePlace } from '../../core/ports/volume-files.ts';
import type { GivenSettings } from '../../local/index.ts';
import { openVolumeFiles } from '../../storage/open-volume-files.ts';
import { storagePorts, type HostStorageOptions } from './storage.ts';

/** Volumes whose files are open. */
export interface OpenVolumes {
  open(place: VolumePlace): Promise<VolumeFiles>;
  close(): Promise<void>;
}

/** Opens the files of volumes with the settings of this run: over the network, or on the local service in this process. */
export function openHostVolumes(
  options: HostStorageOptions & { readonly files: DurableFiles; readonly localService: GivenSettings },
): OpenVolumes {
  const { settings, runtime, localService } = options;
  const { env, clock, random } = runtime;
  const opened: { close(): Promise<void> }[] = [];
  return {
    open: async (place) => {
      const ports = storagePorts(options);
      if (settings.local) {
        const { openLocalTransport } = await import('./local-transport.ts');
        const local = openLocalTransport(settings.dataDirectory, { clock, random, runtime, ...localService });
        opened.push(local.transport);
        return openVolumeFiles(ports, local.transport, place, { url: local.origin, own: local.storageKey });
      }
      const { createTransport } = await import('../../http/wire/client.ts');
      const transport = createTransport({ env });
      opened.push(transport);
      const [accessKeyId, secretAccessKey] = [env['BERTH_STORAGE_ACCESS_KEY'], env['BERTH_STORAGE_SECRET']];
      const own =
        accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey };
      return openVolumeFiles(ports, transport, place, { url: settings.get('storage-url'), own });
    },
    close: async () => {
      await Promise.all(opened.map((each) => each.close()));
    },
  };
}
