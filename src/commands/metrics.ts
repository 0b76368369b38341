/** OpenMetrics 1.0 text of the account: names with their units, a family each. */
import { defineCommand } from '../cli/model/command.ts';
import type { CommandContext } from '../cli/model/context.ts';
import { onlyWith, option } from '../cli/model/params.ts';
import { rateOf } from './account/rate.ts';
import { EXIT } from '../core/exit-codes.ts';
import { type Failure, isInterrupt, usage } from '../core/failure.ts';
import { numberAt, itemsAt, type Json, numberOf, objectAt, stringAt } from '../core/json.ts';
import { say, safeText } from '../core/safe-text.ts';
import { untilAborted } from '../core/until-aborted.ts';
import { styled } from '../output/text/terminal-text.ts';
import { idOf } from '../output/view.ts';
import { readAccount } from './account/index.ts';
import { Fleet } from './top/fleet.ts';

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
    if (listen === undefined) return { kind: 'text', text: await read(ctx, fleet, 0), failure: worst(fleet) };
    const { address, port } = placeOf(listen);
    let last: { readonly at: number; readonly text: Promise<string> } | undefined;
    const page = async (): Promise<string> => {
      const at = ctx.clock.monotonic();
      if (last === undefined || at - last.at >= interval) last = { at, text: read(ctx, fleet, interval) };
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

/** Reads the account once. What could not be read is among the failures of the fleet. */
async function read(ctx: CommandContext, fleet: Fleet, intervalMs: number): Promise<string> {
  let balance: number | undefined;
  await fleet.part(ctx, 'fleet', 0, () => fleet.read(ctx, intervalMs, Infinity));
  await fleet.part(ctx, 'balance', 0, async () => {
    balance = numberAt((await readAccount(ctx, 'billing', 'balance')).value, 'balanceAmount');
  });
  return openMetrics(fleet, balance);
}

/** The cost of today is for top. */
const failuresOf = ({ failures }: Fleet): Fleet['failures'] => failures.filter(({ what }) => what !== 'cost');

/** A key without a right is no failure: its part is left out. */
const worst = (fleet: Fleet): Failure | undefined =>
  failuresOf(fleet).find(
    ({ what, failure: { exit } }) => what === 'fleet' || (exit !== EXIT.denied && exit !== EXIT.notFound),
  )?.failure;

function placeOf(text: string): { readonly address: string; readonly port: number } {
  const [, address = '127.0.0.1', port = ''] = /^(?:\[?([^[\]]+?)\]?:)?(\d{1,5})$/.exec(text) ?? [];
  if (port !== '' && Number(port) <= 65_535) return { address, port: Number(port) };
  throw usage(`--listen takes a port or ADDRESS:PORT, not ${JSON.stringify(text)}`, '--listen 9400');
}

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number | undefined];
type Family = readonly [name: string, help: string, samples: readonly Sample[], type?: 'counter'];

const BYTES_PER_GB = 1e9;

function openMetrics(fleet: Fleet, balance: number | undefined): string {
  const { pods = [], endpoints = [], otherCosts } = fleet;
  const volumes = otherCosts.volumes ?? [];
  const named = (row: Json): Labels => ({ id: idOf(row), name: stringAt(row, 'name') ?? '' });
  const of = (rows: readonly Json[], path: string, factor = 1): readonly Sample[] =>
    rows.map((row): Sample => [named(row), scaled(numberAt(row, path), factor)]);
  const ofGpus = (path: string): readonly Sample[] =>
    pods.flatMap((row) =>
      itemsAt(row, 'runtime.gpus').map((gpu, at): Sample => [
        { ...named(row), gpu: String(at) },
        scaled(numberAt(gpu, path), 0.01),
      ]),
    );
  const ofHealth = (member: string, states: (name: string) => boolean = () => true): readonly Sample[] =>
    endpoints.flatMap((row) =>
      Object.entries(objectAt(fleet.samples.get(`endpoint ${idOf(row)}`)?.at(-1)?.row, member) ?? {}).flatMap(
        ([state, count]): readonly Sample[] =>
          states(state) ? [[{ ...named(row), state: snakeCase(state) }, numberOf(count)]] : [],
      ),
    );
  const isDepth = (state: string): boolean => state === 'inQueue' || state === 'inProgress';
  const hasAll = fleet.pods !== undefined && fleet.endpoints !== undefined && otherCosts.volumes !== undefined;
  const rate = hasAll ? rateOf({ ...otherCosts, pods, endpoints }).total : undefined;
  const statuses = pods.map((row): Sample => [{ ...named(row), status: stringAt(row, 'status') ?? 'UNKNOWN' }, 1]);
  const families: readonly Family[] = [
    ['berth_pod_status', 'The status of a pod, always 1.', statuses],
    ['berth_pod_cost_dollars_per_hour', 'What a pod costs.', of(pods, 'cost')],
    ['berth_pod_uptime_seconds', 'Time since a pod started.', of(pods, 'runtime.uptime')],
    ['berth_pod_gpu_utilization_ratio', 'Use of a GPU.', ofGpus('util')],
    ['berth_pod_gpu_memory_utilization_ratio', 'Use of the memory of a GPU.', ofGpus('memoryUtil')],
    ['berth_pod_cpu_utilization_ratio', 'Use of the CPUs.', of(pods, 'runtime.cpu.util', 0.01)],
    ['berth_pod_memory_utilization_ratio', 'Use of the memory.', of(pods, 'runtime.memory.util', 0.01)],
    ['berth_endpoint_jobs', 'Jobs in the queue and in progress.', ofHealth('jobs', isDepth)],
    ['berth_endpoint_ended_jobs', 'Jobs by how they ended.', ofHealth('jobs', (state) => !isDepth(state)), 'counter'],
    ['berth_endpoint_workers', 'Workers by state.', ofHealth('workers')],
    ['berth_volume_size_bytes', 'The size of a network volume.', of(volumes, 'size', BYTES_PER_GB)],
    ['berth_account_balance_dollars', 'The balance of the account.', [[{}, balance]]],
    ['berth_account_cost_dollars_per_hour', 'What pods, workers and volumes cost, at least.', [[{}, rate]]],
    [
      'berth_read_failed',
      'A part that could not be read, always 1.',
      failuresOf(fleet).map(({ what, failure }) => [{ part: what, code: failure.code }, 1]),
    ],
  ];
  return `${families.flatMap(linesOf).join('\n')}\n# EOF\n`;
}

const scaled = (value: number | undefined, factor: number): number | undefined =>
  value === undefined ? undefined : Number((value * factor).toPrecision(12));

/** Nothing for a family without values. A name ends in its unit. */
function linesOf([name, help, samples, type]: Family): readonly string[] {
  const lines = samples.flatMap(([labels, value]) => {
    if (value === undefined) return [];
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return [`${name}${type === 'counter' ? '_total' : ''}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`];
  });
  if (lines.length === 0) return [];
  const [, unit] = /_(seconds|ratio|bytes|dollars)$/.exec(name) ?? [];
  const units = unit === undefined ? [] : [`# UNIT ${name} ${unit}`];
  return [`# TYPE ${name} ${type ?? 'gauge'}`, ...units, `# HELP ${name} ${help}`, ...lines];
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Harmless first: a line feed of a name is two characters then. */
const escaped = (text: string): string => safeText(text).replace(/[\\"]/g, (character) => `\\${character}`);
