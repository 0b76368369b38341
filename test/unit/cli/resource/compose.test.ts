import { describe, expect, test } from 'vitest';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';
import { json, pointedAt, problem, routed, serve } from '../../../support/servers/scripted-server.ts';

describe('the members of a printed document that can be written', () => {
  test.each([
    ['tpye: HIGH_PERFORMANCE', /unknown member in --file: tpye\n.*Did you mean type\?/],
    ['colour: red', /unknown member in --file: colour\nUse name, size, dataCenter, type/],
  ])('a file with %s is refused, and nothing is sent', async (line, message) => {
    const world = createTestWorld({ stdin: `name: a\nsize: 10\ndataCenter: DC\n${line}\n` });
    const ran = await berthIn(world, ['--local', 'volumes', 'create', '--file', '-', '--json', '-o', 'json']);
    const text = await berthIn(world, ['--local', 'volumes', 'list', '-o', 'id']);
    expect([ran.code, ran.out, text.out.includes('vol-0')]).toEqual([2, '', false]);
    const { error } = JSON.parse(ran.err) as { readonly error: { readonly message: string; readonly hint: string } };
    expect(`${error.message}\n${error.hint}`).toMatch(message);
  });
});

describe('names in place of ids in a body', () => {
  // Without the line that says what it costs.
  const CREATE = ['endpoints', 'create', '--name', 'e', '--gpu-pool', 'P', '--template', 'mine', '--json', '--quiet'];
  const templates = (...ids: readonly string[]) => json({ templates: ids.map((id) => ({ id, name: 'mine' })) });
  const unknown = problem(404, 'template mine not found');

  const serving = (list: ReturnType<typeof json>, knows: string) =>
    serve([
      routed({
        'POST /v2/serverless': (exchange) => {
          const { templateId } = JSON.parse(exchange.arrival.body.toString()) as { readonly templateId: string };
          (templateId === knows ? json({ id: 'ep1' }, 201) : unknown)(exchange);
        },
        'GET /v2/templates': list,
        'GET /v2/catalog/gpus': json({ gpus: [] }),
      }),
    ]);

  const asked = (server: Awaited<ReturnType<typeof serve>>): readonly string[] =>
    server.seen.map(({ method, url }) => `${method} ${url}`).filter((each) => !each.includes('catalog'));

  test('an id needs no extra request', async () => {
    const server = await serving(templates('tpl-1'), 'mine');
    expect((await berth(CREATE, { env: pointedAt(server.url) })).code).toBe(0);
    expect(asked(server)).toEqual(['POST /v2/serverless']);
  });

  test('a name is looked up after the service did not find it as an id', async () => {
    const server = await serving(templates('tpl-1'), 'tpl-1');
    expect((await berth(CREATE, { env: pointedAt(server.url) })).code).toBe(0);
    expect(asked(server)).toEqual(['POST /v2/serverless', 'GET /v2/templates', 'POST /v2/serverless']);
  });

  test('a name that several templates have ends 2 and lists their ids', async () => {
    const server = await serving(templates('tpl-1', 'tpl-2'), 'tpl-1');
    const ran = await berth(CREATE, { env: pointedAt(server.url) });
    expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(/2 templates are named .*tpl-1, tpl-2/)]);
  });

  test.each<[string, ReturnType<typeof json>]>([
    ['a name that nothing has', templates()],
    ['a list that the service refuses', problem(403, 'access denied')],
  ])('%s: the original 404 is reported', async (_, list) => {
    const server = await serving(list, 'tpl-1');
    const ran = await berth(CREATE, { env: pointedAt(server.url) });
    expect([ran.code, ran.err]).toEqual([4, expect.stringContaining('template mine not found')]);
  });
});

describe('--set', () => {
  const inWorld = (argv: readonly string[], stdin = '') =>
    berthIn(createTestWorld({ stdin, env: { BERTH_LOCAL: '1' } }), argv);

  test.each([
    ['pods create', 'gpu.count=2'],
    ['endpoints update x', 'workers.max=5'],
    ['registries delegations create', 'resource=VALUE'],
  ])('help and errors of %s show the example %s, and the command accepts that member', async (line, example) => {
    const words = line.split(' ');
    expect((await inWorld([...words, '--help'])).out.replace(/\s+/g, ' ')).toContain(`such as ${example} `);
    for (const wrong of ['=3', 'a..b=3', '.=3'])
      expect(await inWorld([...words, '--set', wrong])).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining(`  -> --set ${example}\n`) as string,
      });
    // `--file` refuses unknown members, so it shows whether the member of the example exists.
    const document = (example.split('=')[0] ?? '')
      .split('.')
      .reduceRight<unknown>((inner, name) => ({ [name]: inner }), 1);
    const fed = await inWorld([...words, '--file', '-', '--dry-run'], JSON.stringify(document));
    expect(fed.err).not.toContain('unknown members');
  });

  test('gives way to a flag, and adds to what it gives', async () => {
    const create = ['pods', 'create', '--image', 'a/b', '--name', 'p', '--gpu', 'GPU-24G', '--dry-run'];
    const ran = await inWorld([...create, '--disk', '10', '--set', 'disk=20', '--env', 'A=1', '--set', 'env.B=2']);
    expect(JSON.parse(ran.out)).toMatchObject({ body: { disk: 10, env: { A: '1', B: 2 } } });
  });
});
