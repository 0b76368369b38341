import { expect, test } from 'vitest';
import { contract } from '../../../../src/local/contract/document.ts';
import { type BilledReport, BY_KIND, SUMMARY } from '../../../../src/commands/billing/costs.ts';
import { json, pointedAt, routed, serve, type Behaviour } from '../../../support/servers/scripted-server.ts';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

/** Three days of one report: the second one costs most. It has values of the service and an unknown member. */
function answer({ amounts: labels, of }: BilledReport): Readonly<Record<string, unknown>> {
  const members = ['totalAmount', ...Object.keys(labels)];
  const amounts = (factor: number) => Object.fromEntries(members.map((member, at) => [member, (at + 1) * factor]));
  const day = (date: number, factor: number) => ({
    ...(of === undefined ? {} : { [of.member]: `${of.lookup.noun}-${String(date)}-abcdefgh` }),
    startTime: `2026-01-0${String(date)}T00:00:00Z`,
    endTime: `2026-01-0${String(date + 1)}T00:00:00Z`,
    ...amounts(factor),
    unheardOf: true,
  });
  return {
    records: [day(1, 1.25), day(2, 12.5), day(3, 0.004)],
    metadata: { query: { bucketSize: 'day' }, totals: amounts(13.754) },
  };
}

/** The grouping of each report; none for the summary of all. */
const reports: readonly (readonly [string, BilledReport])[] = [['all', SUMMARY], ...Object.entries(BY_KIND)];
const PODS: BilledReport = BY_KIND.pod;

const by = (kind: string): readonly string[] => (kind === 'all' ? [] : ['--by', kind]);

const url = ({ path }: BilledReport): string => `/${path.join('/')}`;

async function summary(
  flags: readonly string[],
  answers: Behaviour = json(answer(PODS)),
  options: Parameters<typeof berth>[1] = {},
) {
  const server = await serve([answers]);
  const ran = await berth(['billing', 'summary', ...flags], {
    ...options,
    env: { ...pointedAt(server.url), NO_COLOR: '1' },
  });
  return { ...ran, seen: server.seen.map((arrival) => arrival.url) };
}

test.each([
  ['all', SUMMARY],
  ['pod', PODS],
])('%s on a terminal', async (name, report) => {
  const ran = await summary(by(name), json(answer(report)), { tty: true, columns: 80 });
  for (const line of ran.out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  await expect(ran.out + ran.err).toMatchFileSnapshot(`../../../golden/billing/summary-${name}-80.txt`);
});

const AMOUNTS = ['', 'Pod', 'Serverless', 'NetworkVolume', 'Cluster', 'Endpoint'];
test.each(reports.map(([name, report], at) => [name, report, `${AMOUNTS[at] ?? ''}BillingAmounts`] as const))(
  '%s has a column for every amount of the contract with -o wide, and bars nowhere but on a terminal',
  async (name, report, schemaName) => {
    const ran = await summary([...by(name), '-o', 'wide'], json(answer(report)));
    const [head = '', first = ''] = ran.out.split('\n');
    const cells = first.split('\t');
    expect(head.split('\t')).toHaveLength(cells.length);
    const members = ['totalAmount', ...Object.keys(report.amounts)];
    for (const at of members.keys()) expect(cells).toContain(`$${((at + 1) * 1.25).toFixed(2)}`);
    expect(ran.out).not.toMatch(/[█░]/);
    expect(ran.err).toMatch(/^Total \$13\.75/);
    const { required } = contract.components.schemas[schemaName] as { readonly required: readonly string[] };
    expect(required.filter((member) => !/feeAmount/i.test(member)).toSorted()).toEqual(members.toSorted());
  },
);

test('as JSON it is the unchanged document of the service, with its totals', async () => {
  const text = '{"records":[{"totalAmount":1.10,"n":9007199254740993}],"metadata":{"totals":{"totalAmount":1.10}}}';
  const ran = await summary(['--json'], json(text));
  expect([ran.out.replace(/\s/g, ''), ran.err]).toEqual([text, '']);
  const filtered = await summary(['--jq', '.metadata.totals.totalAmount'], json(text));
  expect([filtered.out, filtered.err]).toEqual(['1.10\n', '']);
});

// The test clock starts at 2026-01-01T00:00:00Z.
test.each([
  [[], ''],
  [['--last', '7'], '?lastN=7'],
  [['-n', '36', '--bucket', 'hour'], '?lastN=36&bucketSize=hour'],
  [['--last', '7d'], '?startTime=2025-12-25T00%3A00%3A00Z'],
  [['--from', '7d'], '?startTime=2025-12-25T00%3A00%3A00Z'],
  [
    ['--from', '2025-12-01', '--to', '2025-12-31', '--bucket', 'month'],
    '?startTime=2025-12-01T00%3A00%3A00Z&endTime=2026-01-01T00%3A00%3A00Z&bucketSize=month',
  ],
  [
    ['--from', '2025-12-01T10:00:00+02:00', '--to', '1h'],
    '?startTime=2025-12-01T10%3A00%3A00%2B02%3A00&endTime=2025-12-31T23%3A00%3A00Z',
  ],
  ...Object.entries(BY_KIND).flatMap(([kind, report]: [string, BilledReport]) =>
    report.of === undefined ? [] : [[[...by(kind), '--id', 'x1'], `?${report.of.member}=x1`] as [string[], string]],
  ),
])('%j asks the service once', async (flags, query) => {
  const at = flags.indexOf('--by');
  const report = at < 0 ? SUMMARY : BY_KIND[flags[at + 1] as keyof typeof BY_KIND];
  const { seen, code } = await summary(flags, json(answer(report)));
  expect([code, seen]).toEqual([0, [`${url(report)}${query}`]]);
});

test.each([
  [['--last', '7', '--from', '7d'], 'use either --last, or --from and --to'],
  [['--last', '0'], '--last is not a time'],
  [['--from', 'yesterday'], '--from is not a time'],
  [['--id', 'x'], '--id needs --by'],
  [['--by', 'public-endpoint', '--id', 'x'], '--id needs --by'],
])('%j ends 2 and sends nothing', async (flags, words) => {
  const { seen, code, err } = await summary(flags);
  expect([code, err, seen]).toEqual([2, expect.stringContaining(words), []]);
});

const LOOKUP = ['/v2/billing/pods?podId=web', '/v2/pods?includeClusterPods=true'];
test.each([
  [
    'is looked up where nothing was billed for it as an id',
    ['web'],
    0,
    'pod-1',
    [...LOOKUP, '/v2/billing/pods?podId=p0'],
  ],
  ['that several have ends 2 and lists their ids', ['web', 'web'], 2, '2 pods are named "web": p0, p1', LOOKUP],
  ['that nothing has is not a cost of zero', ['x'], 4, 'no pod "web", and nothing billed for it in this time', LOOKUP],
])('a name %s', async (_, names, code, words, requests) => {
  const answers = routed({
    'GET /v2/pods': json({ pods: names.map((name, at) => ({ id: `p${String(at)}`, name })) }),
    'GET /v2/billing/pods': (exchange) => {
      json(exchange.arrival.url.endsWith('=p0') ? answer(PODS) : { records: [], metadata: {} })(exchange);
    },
  });
  const ran = await summary([...by('pod'), '--id', 'web', '-o', 'id'], answers);
  expect([ran.code, `${ran.out}${ran.err}`]).toEqual([code, expect.stringContaining(words)]);
  expect(ran.seen).toEqual(requests);
});

test('a terminated pod still shows what it cost', async () => {
  const world = createTestWorld();
  expect((await berthIn(world, ['--local', 'pods', 'terminate', 'pod-train', '--yes'])).code).toBe(0);
  const ran = await berthIn(world, ['--local', 'billing', 'summary', ...by('pod'), '--id', 'pod-train', '-o', 'id']);
  expect([ran.code, new Set(ran.out.trim().split('\n'))]).toEqual([0, new Set(['pod-train'])]);
});
