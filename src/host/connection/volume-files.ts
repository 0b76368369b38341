import { version } from '../../../package.json';
import type { RangeFiles, Sink } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import type { VolumeFiles, VolumePlace } from '../../core/file-ports.ts';
import { berth, sentence } from '../../core/message.ts';
import { say, type TerminalText } from '../../core/safe-text.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { type TraceEvent, traceLine } from '../../http/trace.ts';
import type { GivenSettings } from '../../local/index.ts';
import type { Settings } from '../../settings/create-settings.ts';
import { openVolumeFiles, type StoragePorts } from '../../storage/volume-files.ts';
import type { Credentials } from '../../storage/s3/connection.ts';

interface HostVolumesOptions {
  readonly runtime: Pick<Runtime, 'env' | 'home' | 'clock' | 'random' | 'platform' | 'cwd' | 'user' | 'exitsAfterRun'>;
  readonly settings: Settings;
  readonly signal: AbortSignal;
  readonly stderr: Sink<TerminalText>;
  readonly files: RangeFiles;
  readonly localService: GivenSettings;
}

function storagePorts({ runtime, settings, signal, stderr, files }: HostVolumesOptions): StoragePorts {
  const { env, clock, random } = runtime;
  const trace = (event: TraceEvent): void => void stderr.write(say`${traceLine(event)}\n`);
  return {
    env,
    clock,
    random,
    files,
    signal,
    userAgent: `berth/${version}`,
    retries: settings.get('retries'),
    timeoutMs: settings.get('timeout'),
    trace: settings.get('verbose') ? trace : undefined,
  };
}

interface OpenVolumes {
  open(place: VolumePlace): Promise<VolumeFiles>;
  close(): Promise<void>;
}

export function openHostVolumes(options: HostVolumesOptions): OpenVolumes {
  const { settings, runtime, localService } = options;
  const { env, clock, random } = runtime;
  const opened: { close(): Promise<void> }[] = [];
  return {
    open: async (place) => {
      if (runtime.exitsAfterRun) (await import('../runtime/heap-growth.ts')).keepHeapSmall();
      const ports = storagePorts(options);
      if (settings.local) {
        const { openLocalTransport } = await import('./local-transport.ts');
        const local = openLocalTransport(settings.dataDirectory, { clock, random, runtime, ...localService });
        opened.push(local.transport);
        return openVolumeFiles(ports, local.transport, place, {
          url: local.origin,
          own: local.storageKey,
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

/** Usage (2) if the profile's key would be sent to an address that is not the profile's. */
function ownKey(settings: Settings): Credentials | undefined {
  const found = settings.storageKey();
  if (found === undefined) return undefined;
  const { source, ...credentials } = found;
  if (source === 'environment') return credentials;
  const addressSource = settings.source('storage-url');
  if (addressSource === 'flag' || addressSource === 'environment')
    throw usage(
      `the key of profile "${settings.profile}" is sent only to the storage-url that the profile keeps, and ${addressSource === 'flag' ? '--storage-url' : 'BERTH_STORAGE_URL'} names another one`,
      sentence`Keep the address with its key: ${berth`files login --storage-url ${settings.get('storage-url') ?? ''}`}. Or set BERTH_STORAGE_ACCESS_KEY and BERTH_STORAGE_SECRET.`,
    );
  return credentials;
}
