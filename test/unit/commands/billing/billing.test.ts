import { describe, expect, it, test } from 'vitest';
import { contract } from '../../../../src/local/contract/document.ts';
import { BY_KIND, type Report, SUMMARY } from '../../../../src/commands/billing/service-reports.ts';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';
import { json, pointedAt, routed, serve, type Behaviour } from '../../../support/servers/scripted-server.ts';

/** Three days of one report: the second one costs most. It has values of the service and an unknown member. */
function answer(report: Report, bucketSize = 'day'): Readonly<Record<string, unknown>> {
  const members = ['totalAmount', ...Object.keys(report.amounts)];
  const amounts = (factor: number) => Object.fromEntries(members.map((member, at) => [member, (at + 1) * factor]));
  const of = report.of;
  const day = (date: number, factor: number) => ({
    ...(of === undefined ? {} : { [of.member]: `${of.lookup.noun}-${String(date)}-abcdefgh` }),
    startTime: `2026-01-0${String(date)}T00:00:00Z`,
    endTime: `2026-01-0${String(date + 1)}T00:00:00Z`,
    ...amounts(factor),
    unheardOf: true,
  });
  return {
    records: [day(1, 1.25), day(2, 12.5), day(3, 0.004)],
    metadata: {
      query: { startTime: '2026-01-01T00:00:00Z', endTime: '2026-01-04T00:00:00Z', bucketSize },
      recordCount: 3,
      ...(of === undefined ? {} : { [of.count]: 3 }),
      totals: amounts(13.754),
    },
  };
}

/** The grouping of each report; none for the summary of all. */
const reports: readonly (readonly [string, Report])[] = [['all', SUMMARY], ...Object.entries(BY_KIND)];
const PODS: Report = BY_KIND.pod;

const by = (kind: string): readonly string[] => (kind === 'all' ? ['summary'] : ['summary', '--by', kind]);

const url = (report: Report): string => `/${report.path.join('/')}`;

async function billing(
  argv: readonly string[],
  script: readonly Behaviour[],
  options: Parameters<typeof berth>[1] = {},
) {
  const server = await serve(script);
  return {
    server,
    ...(await berth(['billing', ...argv], { ...options, env: { ...pointedAt(server.url), NO_COLOR: '1' } })),
  };
}

describe('a report', () => {
  test.each(reports.flatMap(([name, report]) => [80, 140].map((columns) => ({ name, report, columns }))))(
    '$name on a terminal of $columns columns',
    async ({ name, report, columns }) => {
      const ran = await billing(by(name), [json(answer(report))], { tty: true, columns });
      expect(ran.code).toBe(0);
      for (const line of ran.out.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
      await expect(ran.out + ran.err).toMatchFileSnapshot(
        `../../../golden/billing/summary-${name}-${String(columns)}.txt`,
      );
    },
  );

  test.each(reports)(
    '%s has a column for every amount of the contract with -o wide, bars nowhere but on a terminal',
    async (name, report) => {
      const ran = await billing([...by(name), '-o', 'wide'], [json(answer(report))]);
      const [head = '', first = ''] = ran.out.split('\n');
      const cells = first.split('\t');
      expect(head.split('\t')).toHaveLength(cells.length);
      for (const at of [report, ...Object.keys(report.amounts)].keys())
        expect(cells).toContain(`$${((at + 1) * 1.25).toFixed(2)}`);
      expect(ran.out).not.toMatch(/[█░]/);
      expect(ran.err).toMatch(/^Total \$13\.75 from 2026-01-01 to 2026-01-03 \(UTC\)/);
    },
  );

  const AMOUNTS = {
    all: 'BillingAmounts',
    pod: 'PodBillingAmounts',
    endpoint: 'ServerlessBillingAmounts',
    'public-endpoint': 'EndpointBillingAmounts',
    volume: 'NetworkVolumeBillingAmounts',
    cluster: 'ClusterBillingAmounts',
  } as const;
  test.each(reports)('%s names the amounts that the contract does', (name, report) => {
    const schema = contract.components.schemas[AMOUNTS[name as keyof typeof AMOUNTS]] as {
      readonly required: readonly string[];
    };
    const named = ['totalAmount', ...Object.keys(report.amounts), ...[report.fee ?? []].flat()];
    expect(named.toSorted()).toEqual(schema.required.toSorted());
  });

  it('as JSON is the unchanged document of the service, with its totals', async () => {
    const text = '{"records":[{"totalAmount":1.10,"n":9007199254740993}],"metadata":{"totals":{"totalAmount":1.10}}}';
    const ran = await billing(['summary', '--json'], [json(text)]);
    expect([ran.out.replace(/\s/g, ''), ran.err]).toEqual([text, '']);
    const filtered = await billing(['summary', '--jq', '.metadata.totals.totalAmount'], [json(text)]);
    expect([filtered.out, filtered.err]).toEqual(['1.10\n', '']);
  });

  it.each([
    [['-o', 'csv'], /^podId,startTime,endTime,totalAmount,gpuAmount,cpuAmount,diskAmount,unheardOf\n(.+\n){3}$/],
    [['-o', 'jsonl'], /^({"podId":.+}\n){3}$/],
    [['-o', 'id'], /^(pod-\d-abcdefgh\n){3}$/],
    [['-o', 'csv', '--fields', 'podId,totalAmount'], /^podId,totalAmount\n(pod-.+\n){3}$/],
    [['-o', 'yaml'], /^records:\n[^]+metadata:\n[^]+totals:/],
  ])('with %j', async (flags, expected) => {
    const ran = await billing([...by('pod'), ...flags], [json(answer(PODS))]);
    expect(ran.out).toMatch(expected);
    expect(ran.err).toBe('');
  });

  it('--fields selects members of the records and keeps the document around them', async () => {
    const ran = await billing([...by('pod'), '--json', '--fields', 'podId'], [json(answer(PODS))]);
    const { records, metadata } = JSON.parse(ran.out) as { readonly records: unknown; readonly metadata: unknown };
    expect(records).toEqual([1, 2, 3].map((day) => ({ podId: `pod-${String(day)}-abcdefgh` })));
    expect(metadata).toEqual(answer(PODS)['metadata']);
  });

  it('leaves out columns of zeros on a terminal, unless -o wide asks for every column', async () => {
    const zero = answer(SUMMARY);
    const records = (zero['records'] as readonly object[]).map((record) => ({ ...record, podGpuAmount: 0 }));
    const [usual, wide] = await Promise.all(
      [[], ['-o', 'wide']].map((flags) =>
        billing(['summary', ...flags], [json({ ...zero, records })], { tty: true, columns: 400 }),
      ),
    );
    expect([usual?.out.includes('POD GPU'), wide?.out.includes('POD GPU')]).toEqual([false, true]);
    expect(usual?.out).toContain('POD CPU');
  });

  it.each([
    ['hour', '2026-01-02T13:00:00Z', 'HOUR (UTC)', '2026-01-02 13:00'],
    ['day', '2026-01-02T00:00:00.000Z', 'DAY (UTC)', '2026-01-02'],
    ['week', '2026-01-05T00:00:00Z', 'WEEK (UTC)', '2026-01-05'],
    ['month', '2026-02-01T00:00:00Z', 'MONTH (UTC)', '2026-02'],
    ['month', '2026-02-03T00:00:00Z', 'MONTH (UTC)', '2026-02-03'],
    ['year', '2026-01-01T00:00:00Z', 'YEAR (UTC)', '2026'],
    ['day', '2026-01-02T13:30:00Z', 'DAY (UTC)', '2026-01-02T13:30:00Z'],
    ['decade', 'long ago', 'DECADE (UTC)', 'long ago'],
  ])('shows the start of a %s (%s)', async (bucketSize, startTime, header, shown) => {
    const document = { records: [{ startTime, totalAmount: 1 }], metadata: { query: { bucketSize } } };
    const ran = await billing(by('public-endpoint'), [json(document)]);
    expect(ran.out).toBe(`${header}\tTOTAL\n${shown}\t$1.00\n`);
  });

  it.each([['{"records":[],"metadata":7}'], ['{"records":[null,3,{"totalAmount":"x"}]}']])(
    'of another shape is shown as far as it goes: %s',
    async (text) => {
      for (const flags of [[], ['--json'], ['-o', 'csv'], ['-o', 'yaml']]) {
        const ran = await billing([...by('pod'), ...flags], [json(text)], { tty: true });
        expect([ran.code, ran.err.includes('internal')]).toEqual([0, false]);
      }
    },
  );
});

describe('the query', () => {
  // The test clock starts at 2026-01-01T00:00:00Z.
  it.each([
    [[], ''],
    [['--last', '7'], '?lastN=7'],
    [['--last', '7d'], '?lastN=7'],
    [['--last', '36h'], '?lastN=2'],
    [['--last', '36h', '--bucket', 'hour'], '?lastN=36&bucketSize=hour'],
    [['--last', '14d', '--bucket', 'week'], '?lastN=2&bucketSize=week'],
    [['-n', '7', '--bucket', 'week'], '?lastN=7&bucketSize=week'],
    [['--from', '7d'], '?startTime=2025-12-25T00%3A00%3A00Z'],
    [
      ['--from', '2025-12-01', '--to', '2025-12-31', '--bucket', 'month'],
      '?startTime=2025-12-01T00%3A00%3A00Z&endTime=2026-01-01T00%3A00%3A00Z&bucketSize=month',
    ],
    [
      ['--from', '2025-12-01T10:00:00+02:00', '--to', '1h'],
      '?startTime=2025-12-01T10%3A00%3A00%2B02%3A00&endTime=2025-12-31T23%3A00%3A00Z',
    ],
  ])('%j', async (flags, query) => {
    for (const [name, report] of reports) {
      const { server, code } = await billing([...by(name), ...flags], [json(answer(report))]);
      expect(code).toBe(0);
      expect(server.seen.map(({ method, url: seen }) => `${method} ${seen}`)).toEqual([`GET ${url(report)}${query}`]);
    }
  });

  it.each(Object.keys(BY_KIND).filter((kind) => kind !== 'public-endpoint'))(
    '--by %s --id filters and costs no other request',
    async (kind) => {
      const report: Report = BY_KIND[kind as keyof typeof BY_KIND];
      const { server } = await billing([...by(kind), '--id', 'x1'], [json(answer(report))]);
      expect(server.seen.map((seen) => seen.url)).toEqual([`${url(report)}?${report.of?.member ?? ''}=x1`]);
    },
  );

  it.each([
    [['--last', '7', '--from', '7d'], 'use either --last, or --from and --to'],
    [['--last', '7', '--to', '7d'], 'use either --last, or --from and --to'],
    [['--last', '0'], '--last must be at least 1'],
    [['--last', '0d'], '--last must be at least 1'],
    [['--last', '7x'], '--last is not a duration: "7x"'],
    [['--last', '7d', '--bucket', 'month'], '--last 7d cannot be counted in buckets of a month'],
    [['--bucket', 'decade'], '--bucket is one of hour, day, week, month, year'],
    [['--from', 'yesterday'], '--from is not a time'],
    [['--to', '2026-02-30'], '--to is not on the calendar'],
    [['--from', '2025-12-02', '--to', '2025-12-01'], '--from is not before --to'],
    [['--from', '2026-01-02'], '--from is not before now'],
    [['--id', 'x'], '--id needs --by'],
    [['--by', 'public-endpoint', '--id', 'x'], '--id needs --by'],
  ])('%j ends 2 and sends nothing', async (flags, words) => {
    const { server, code, err } = await billing(['summary', ...flags], [json(answer(SUMMARY))]);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    expect(server.seen).toEqual([]);
  });
});

describe('a name in place of an id', () => {
  const nothing = json({ records: [], metadata: {} });
  const pods = (...names: readonly string[]): Behaviour =>
    json({ pods: names.map((name, at) => ({ id: `p${String(at)}`, name })) });
  const asked = (list: Behaviour): Behaviour =>
    routed({
      'GET /v2/pods': list,
      'GET /v2/billing/pods': (exchange) => {
        (exchange.arrival.url.endsWith('=p0') ? json(answer(PODS)) : nothing)(exchange);
      },
    });

  it('is looked up if nothing was billed for it as an id', async () => {
    const { server, out } = await billing([...by('pod'), '--id', 'web', '-o', 'id'], [asked(pods('web', 'other'))]);
    expect(server.seen.map((seen) => seen.url)).toEqual([
      '/v2/billing/pods?podId=web',
      '/v2/pods?includeClusterPods=true',
      '/v2/billing/pods?podId=p0',
    ]);
    expect(out).toContain('pod-1');
  });

  it('that several have ends 2 and lists their ids', async () => {
    const { code, err } = await billing([...by('pod'), '--id', 'web'], [asked(pods('web', 'web'))]);
    expect([code, err]).toEqual([2, expect.stringContaining('2 pods are named "web": p0, p1')]);
  });

  it('that nothing has ends 4 and is not reported as a cost of zero', async () => {
    const { code, out, err, server } = await billing([...by('pod'), '--id', 'nope'], [asked(pods('web'))]);
    expect([code, out]).toEqual([4, '']);
    expect(err).toMatch(/no pod "nope", and nothing billed for it in this time/);
    expect(err).toMatch(/-> See berth pods list\. .*--from/);
    expect(server.seen.map((seen) => seen.url)).toEqual([
      '/v2/billing/pods?podId=nope',
      '/v2/pods?includeClusterPods=true',
    ]);
  });

  it('of a terminated pod still shows what it cost', async () => {
    const world = createTestWorld();
    expect((await berthIn(world, ['--local', 'pods', 'terminate', 'pod-train', '--yes'])).code).toBe(0);
    for (const span of ['2', '1']) {
      const ran = await berthIn(world, [
        '--local',
        'billing',
        ...by('pod'),
        '--id',
        'pod-train',
        '--last',
        span,
        '-o',
        'id',
      ]);
      expect([ran.code, new Set(ran.out.trim().split('\n'))]).toEqual([0, new Set(['pod-train'])]);
    }
  });
});
