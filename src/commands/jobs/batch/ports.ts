import { LOCAL_SERVICE, type BatchPorts } from '../../../batch/index.ts';
import type { StorageOptions } from '../../../core/context.ts';
import type { CommandContext } from '../../../cli/context.ts';
import { resumeLine } from './command-lines.ts';
import { requestWorkerPrice } from './worker-price.ts';

/** Returns the parts of the Context that a batch needs. */
export async function batchPorts(ctx: CommandContext, storage: StorageOptions = {}): Promise<BatchPorts> {
  return {
    durable: await ctx.durable(),
    storage: await ctx.storage(storage),
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
