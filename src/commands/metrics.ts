/** OpenMetrics 1.0 text of the account: names with their units, a family each. */
import { defineCommand } from '../cli/model/command.ts';
import type { CommandContext } from '../cli/model/context.ts';
import { onlyWith, option } from '../cli/model/params.ts';
import { rateOf } from '../cli/money.ts';
import { EXIT } from '../core/exit-codes.ts';
import { type Failure, isInterrupt, rethrowUnlessFailure, usage } from '../core/failure.ts';
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

interface Reading {
  readonly fleet: Fleet;
  readonly balance: number | undefined;
  /** By part. */
  readonly failures: ReadonlyMap<string, Failure>;
}

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number | undefined];

interface Family {
  readonly name: string;
  readonly type?: 'gauge' | 'counter';
  readonly unit?: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

const BYTES_PER_GB = 1e9;

/** `now`: monotonic, of the machine that read. */
function openMetrics({ fleet, balance, failures }: Reading, now: number): string {
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
  const family = (name: string, help: string, samples: readonly Sample[], more: Partial<Family> = {}): Family => ({
    name,
    help,
    samples,
    ...more,
  });
  const [ratio, seconds, bytes] = [{ unit: 'ratio' }, { unit: 'seconds' }, { unit: 'bytes' }];
  const families = [
    family(
      'berth_pod_status',
      'The status of a pod, always 1.',
      pods.map((row) => [{ ...named(row), status: stringAt(row, 'status') ?? 'UNKNOWN' }, 1]),
    ),
    family('berth_pod_cost_dollars_per_hour', 'What a pod costs.', of(pods, 'cost')),
    family('berth_pod_uptime_seconds', 'Time since a pod started.', of(pods, 'runtime.uptime'), seconds),
    family('berth_pod_gpu_utilization_ratio', 'Use of a GPU.', ofGpus('util'), ratio),
    family('berth_pod_gpu_memory_utilization_ratio', 'Use of the memory of a GPU.', ofGpus('memoryUtil'), ratio),
    family('berth_pod_cpu_utilization_ratio', 'Use of the CPUs.', of(pods, 'runtime.cpu.util', 0.01), ratio),
    family('berth_pod_memory_utilization_ratio', 'Use of the memory.', of(pods, 'runtime.memory.util', 0.01), ratio),
    family('berth_endpoint_jobs', 'Jobs in the queue and in progress.', ofHealth('jobs', isDepth)),
    family(
      'berth_endpoint_ended_jobs',
      'Jobs by how they ended.',
      ofHealth('jobs', (state) => !isDepth(state)),
      { type: 'counter' },
    ),
    family('berth_endpoint_workers', 'Workers by state.', ofHealth('workers')),
    family('berth_volume_size_bytes', 'The size of a network volume.', of(volumes, 'size', BYTES_PER_GB), bytes),
    family('berth_account_balance_dollars', 'The balance of the account.', [[{}, balance]], { unit: 'dollars' }),
    family('berth_account_cost_dollars_per_hour', 'What pods, workers and volumes cost, at least.', [[{}, rate]]),
    family('berth_read_age_seconds', 'Time since all was read.', [[{}, ageOf(fleet, now)]], seconds),
    family(
      'berth_read_failed',
      'A part that could not be read, always 1.',
      [...failures].map(([part, { code }]) => [{ part, code }, 1]),
    ),
  ];
  return `${families.flatMap(linesOf).join('\n')}\n# EOF\n`;
}

const ageOf = ({ readAt }: Fleet, now: number): number | undefined =>
  readAt === undefined ? undefined : Math.max(0, now - readAt) / 1000;

const scaled = (value: number | undefined, factor: number): number | undefined =>
  value === undefined ? undefined : Number((value * factor).toPrecision(12));

/** Nothing for a family without values. */
function linesOf({ name, type = 'gauge', unit, help, samples }: Family): readonly string[] {
  const lines = samples.flatMap(([labels, value]) => {
    if (value === undefined) return [];
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return [`${name}${type === 'counter' ? '_total' : ''}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`];
  });
  if (lines.length === 0) return [];
  return [
    `# TYPE ${name} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${help}`,
    ...lines,
  ];
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Harmless first: a line feed of a name is two characters then. */
const escaped = (text: string): string => safeText(text).replace(/[\\"]/g, (character) => `\\${character}`);
