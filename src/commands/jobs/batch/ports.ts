import { LOCAL_SERVICE, type BatchPorts } from '../../../batch/index.ts';
import type { CredentialWait, StorageOptions } from '../../../core/context.ts';
import type { CommandContext } from '../../../cli/context.ts';
import { resumeLine } from './command-lines.ts';
import { requestWorkerPrice } from './worker-price.ts';

/**
 * Returns the parts of the Context that a batch needs. With `credentialsMayExpire`, storage waits for new credentials in place
 * of expired ones, and says so: a batch can take longer than credentials are valid.
 */
export async function batchPorts(
  ctx: CommandContext,
  { s3Endpoint }: StorageOptions,
  credentialsMayExpire: boolean,
): Promise<BatchPorts> {
  let isWaiting = false;
  const credentialWait: CredentialWait = {
    onWait: (reason) => {
      isWaiting = true;
      void ctx.tell(reason);
    },
    onEnd: () => {
      isWaiting = false;
      void ctx.tell('The storage service has accepted new credentials.');
    },
  };
  return {
    durable: await ctx.durable(),
    storage: await ctx.storage({ s3Endpoint, ...(credentialsMayExpire ? { credentialWait } : {}) }),
    isStorageWaiting: () => isWaiting,
    clock: ctx.clock,
    random: ctx.random,
    signal: ctx.signal,
    batchApi: (options) => ctx.batchApi(options),
    onSecondInterrupt: (listener) => ctx.onSecondInterrupt(listener),
    workerPrice: (endpointId, signal) => requestWorkerPrice(ctx, endpointId, signal),
    resumeCommand: (results) => resumeLine(ctx.settings.local, [results]),
  };
}

/** Returns the address of the queue API as a batch stores it: without a key. */
export async function serviceAddress(ctx: CommandContext): Promise<string> {
  const { url } = await ctx.api.preview({ service: 'queue', method: 'GET', path: ['v2'] });
  return ctx.settings.local ? LOCAL_SERVICE : url;
}
