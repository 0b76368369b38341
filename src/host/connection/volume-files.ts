import { version } from '../../../package.json';
import type { Sink } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import type { VolumeFiles, VolumePlace } from '../../core/file-ports.ts';
import { berth, sentence } from '../../core/message.ts';
import { say, type TerminalText } from '../../core/safe-text.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { type TraceEvent, traceLine } from '../../http/trace.ts';
import type { Settings } from '../../settings/create-settings.ts';
import { openVolumeFiles, type StorageKey } from '../../storage/volume-files.ts';

interface HostVolumesOptions {
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly signal: AbortSignal;
  readonly stderr: Sink<TerminalText>;
}

interface OpenVolumes {
  open(place: VolumePlace): Promise<VolumeFiles>;
  close(): Promise<void>;
}

export function openHostVolumes({ runtime, settings, signal, stderr }: HostVolumesOptions): OpenVolumes {
  const { env, clock, random } = runtime;
  const trace = (event: TraceEvent): void => void stderr.write(say`${traceLine(event)}\n`);
  const opened: { close(): Promise<void> }[] = [];
  return {
    open: async (place) => {
      if (runtime.exitsAfterRun) (await import('../runtime/heap-growth.ts')).keepHeapSmall();
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
    close: async () => {
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
