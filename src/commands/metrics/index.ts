import type { CommandContext } from '../../cli/model/context.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { onlyWith, option } from '../../cli/model/params.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import { readAccount } from '../account/index.ts';
import { Fleet } from '../top/fleet.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { type Failure, isInterrupt, rethrowUnlessFailure, usage } from '../../core/failure.ts';
import { say } from '../../core/safe-text.ts';
import { styled } from '../../output/text/terminal-text.ts';
import { numberAt } from '../../core/json.ts';
import { openMetrics, type Reading } from './open-metrics.ts';

/** The media type of the text. */
const TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

export const metrics = defineCommand({
  summary: 'print pods, endpoints, volumes and the account as OpenMetrics',
  details: 'For a textfile collector, or with --listen for a scraper. What a key may not read is left out.',
  options: {
    listen: option.text('serve /metrics at a port of this machine, until Ctrl-C', { metavar: '[ADDRESS:]PORT' }),
    interval: onlyWith(['listen'], option.durationOr('least time between two readings', 's', 30_000, '30s')),
  },
  examples: [
    ['berth metrics', 'once, for a file that a collector reads'],
    ['berth metrics --listen 9400', 'http://127.0.0.1:9400/metrics'],
  ],
  run: async (ctx, { listen, interval }) => {
    const fleet = new Fleet({ pods: true, endpoints: true });
    if (listen === undefined) {
      const reading = await read(ctx, fleet, 0);
      return { kind: 'text', text: openMetrics(reading, ctx.clock.monotonic()), failure: worst(reading.failures) };
    }
    const { address, port } = placeOf(listen);
    let last: { readonly at: number; readonly text: Promise<string> } | undefined;
    const page = async (): Promise<string> => {
      const at = ctx.clock.monotonic();
      if (last === undefined || at - last.at >= interval)
        last = { at, text: read(ctx, fleet, interval).then((reading) => openMetrics(reading, ctx.clock.monotonic())) };
      return await last.text;
    };
    const served = await ctx.localHost.servePage({ address, port, path: '/metrics', type: TYPE, page });
    await ctx.stdout.write(styled`${say`${served.url}/metrics`}\n`);
    try {
      return await untilAborted(ctx.signal, new Promise<never>(() => undefined));
    } catch (error) {
      if (isInterrupt(error)) return { kind: 'nothing', exit: error.exit };
      throw error;
    } finally {
      await served.stop();
    }
  },
});

/** One reading of the account. What could not be read is among the failures. */
async function read(ctx: CommandContext, fleet: Fleet, intervalMs: number): Promise<Reading> {
  const failures = new Map<string, Failure>();
  const unlessFailed = async <T>(part: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      failures.set(part, error);
      return undefined;
    }
  };
  await unlessFailed('fleet', () => fleet.read(ctx, intervalMs, Infinity));
  // The cost of today is for top.
  for (const { what, failure } of fleet.failures) if (what !== 'cost') failures.set(what, failure);
  const balance = await unlessFailed('balance', () => readAccount(ctx, 'billing', 'balance'));
  return { fleet, balance: numberAt(balance?.value, 'balanceAmount'), failures };
}

/** A key without a right is no failure: its part is left out. */
const worst = (failures: Reading['failures']): Failure | undefined =>
  [...failures.values()].find(({ exit }) => exit !== EXIT.denied && exit !== EXIT.notFound) ??
  (failures.has('fleet') ? failures.get('fleet') : undefined);

function placeOf(text: string): { readonly address: string; readonly port: number } {
  const [, address = '127.0.0.1', port = ''] = /^(?:\[?([^[\]]+?)\]?:)?(\d{1,5})$/.exec(text) ?? [];
  if (port !== '' && Number(port) <= 65_535) return { address, port: Number(port) };
  throw usage(`--listen takes a port or ADDRESS:PORT, not ${JSON.stringify(text)}`, '--listen 9400');
}
