import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { findPython } from '../../support/python/find-python.ts';
import { OPEN_METRICS } from '../../support/python/install-packages.mjs';
import { createAccount, local } from '../../support/worlds/local-account.ts';
import { berth, berthIn } from '../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../support/worlds/test-world.ts';
import { json, pointedAt, problem, routed, serve } from '../../support/servers/scripted-server.ts';

const PROGRAM = `
import sys, json
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
print(json.dumps([[f.name, f.type, f.unit, len(f.samples)] for f in parse(sys.stdin.read())]))`;

let python: string | undefined;
beforeAll(async () => {
  python = await findPython(OPEN_METRICS);
}, 120_000);

const valueOf = (text: string, start: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(start))
      ?.split(' ')
      .at(-1),
  );

test('metrics prints what the account has, and the official parser reads it', async (context) => {
  const account = createAccount();
  await local(account, 'jobs run echo --input {} --wait');
  const text = await local(account, 'metrics');
  expect(valueOf(text, 'berth_pod_status{id="pod-train",name="train-llm",status="RUNNING"}')).toBe(1);
  expect(valueOf(text, 'berth_pod_cost_dollars_per_hour{id="pod-train"')).toBeGreaterThan(0);
  expect(valueOf(text, 'berth_endpoint_ended_jobs_total{id="echo",name="echo",state="completed"}')).toBe(1);
  expect(valueOf(text, 'berth_volume_size_bytes{id="vol-scratch"')).toBe(1e10);
  expect(valueOf(text, 'berth_account_balance_dollars')).toBe(25);
  expect(text.endsWith('# EOF')).toBe(true);
  if (python === undefined) {
    context.skip();
    return;
  }
  const families = JSON.parse(
    execFileSync(python, ['-c', PROGRAM], { input: `${text}\n`, encoding: 'utf8' }),
  ) as unknown[];
  expect(families).toContainEqual(['berth_pod_uptime_seconds', 'gauge', 'seconds', 3]);
  expect(families).toContainEqual(['berth_endpoint_ended_jobs', 'counter', '', 25]);
});

describe('what cannot be read', () => {
  const LISTS = {
    'GET /v2/pods': json({
      pods: [{ id: 'p', name: 'a"b\\c\nd', status: 'RUNNING' }],
      pagination: { hasNextPage: false },
    }),
    'GET /v2/serverless': json({ endpoints: [], pagination: { hasNextPage: false } }),
    'GET /v2/network-volumes': json({ networkVolumes: [] }),
  };

  test.each([
    ['a right that the key does not have is left out', problem(403, 'not with this key'), 0],
    ['a part that fails is named, and the rest printed', problem(500, 'broken'), 7],
  ])('%s', async (_, answer, code) => {
    const server = await serve([routed(LISTS, answer)]);
    const ran = await berth(['metrics'], { env: { ...pointedAt(server.url), BERTH_RETRIES: '0' } });
    expect(ran.code, ran.err).toBe(code);
    expect(ran.out).toContain('berth_pod_status{id="p",name="a\\"b\\\\c\\\\nd",status="RUNNING"} 1');
    expect(ran.out).toMatch(/berth_read_failed\{part="balance",code="[a-z-]+"\} 1/);
    expect(ran.out).not.toContain('berth_account_balance_dollars');
  });

  test.each([['x'], ['70000'], ['host:']])('--listen %s ends 2', async (place) => {
    expect((await berth(['--local', 'metrics', '--listen', place])).code).toBe(2);
  });
});

test('--listen serves one reading for an interval, to scrapers and not to pages of a browser, until Ctrl-C', async () => {
  const world = createTestWorld({ env: { BERTH_LOCAL: '1' } });
  const running = berthIn(world, ['metrics', '--listen', '0']);
  await expect.poll(() => world.out(), { interval: 1 }).toContain('\n');
  const url = world.out().trim();
  const first = await fetch(url);
  expect(first.headers.get('content-type')).toContain('application/openmetrics-text');
  const text = await first.text();
  expect(text).toContain('# EOF');
  world.clock.advance(29_000);
  expect(await (await fetch(url)).text()).toBe(text);
  world.clock.advance(2_000);
  expect(await (await fetch(url)).text()).not.toBe(text);
  expect((await fetch(url, { headers: { origin: 'https://page.example' } })).status).toBe(403);
  expect((await fetch(url, { method: 'POST' })).status).toBe(405);
  world.signal('SIGINT');
  expect((await running).code).toBe(130);
});
