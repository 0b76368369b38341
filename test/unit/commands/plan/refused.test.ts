/** A plan of what the service would refuse ends as its create would, before anything is sent. */
import { expect, test } from 'vitest';
import { inWorld, plan, run } from '../../../support/worlds/plan-runs.ts';

const POD = 'kind: pod\nname: z\nimage: a/b:1\ngpu: { id: GPU-24G, count: 1 }\n';
const ENDPOINT = 'kind: endpoint\nname: e\nimage: a/b:1\ngpu: { pools: [POOL-24G] }\nworkers: { min: 1 }\n';
const TYPE = 'There is no GPU type GPU-25G. Did you mean GPU-24G?';
const PLACE = 'There is no data center NOWHERE.';

test.each([
  ['a GPU type', POD.replace('24G', '25G'), TYPE, 'pods create --name z --image a/b:1 --gpu GPU-25G'],
  [
    'a data center',
    `${POD}dataCenterIds: [NOWHERE]\n`,
    PLACE,
    'pods create --name z --image a/b:1 --gpu GPU-24G --data-center NOWHERE',
  ],
  [
    'a pool',
    ENDPOINT.replace('24G', '25G'),
    'There is no pool POOL-25G. Did you mean POOL-24G?',
    'endpoints create --name e --image a/b:1 --gpu-pool POOL-25G',
  ],
])('%s that there is not: the plan says what a dry run of the create says', async (_, document, said, create) => {
  const world = inWorld();
  const dry = await run(world, [...create.split(' '), '--dry-run', '--json']);
  const { message, hint } = (
    JSON.parse(dry.err.slice(dry.err.indexOf('{'))) as { error: { message: string; hint: string } }
  ).error;
  expect([dry.code, `${message} ${hint}`]).toEqual([5, expect.stringContaining(said)]);
  const planned = await plan(world, document, ['--json']);
  expect(planned.code).toBe(2);
  expect((JSON.parse(planned.err) as { error: object }).error).toMatchObject({
    message: `fleet.yaml:1:1: ${message}`,
    hint,
  });
  expect(planned.out).toBe('');
});

test('of several documents, each that would be refused is named with its place, and no price is said', async () => {
  const text = [POD.replace('24G', '25G'), ENDPOINT, `${POD.replace('name: z', 'name: y')}dataCenterIds: [NOWHERE]\n`];
  const { code, out, err } = await plan(inWorld(), text.join('---\n'));
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain('error: the service would refuse 2 of 3 as described\n  - pod z: fleet.yaml:1:1: ');
  expect(err).toMatch(/ {2}- pod y: fleet\.yaml:\d+:1: /);
  for (const said of [TYPE, PLACE]) expect(err).toContain(said);
  expect(err).not.toContain('$');
});

test('a change of what is there is refused in the same way', async () => {
  const world = inWorld();
  const create = 'endpoints create --name e --image a/b:1 --gpu-pool POOL-24G --workers-min 1';
  expect((await run(world, create.split(' '))).code).toBe(0);
  const { code, err } = await plan(world, ENDPOINT.replace('24G', '25G'));
  expect([code, err]).toEqual([2, expect.stringContaining('There is no pool POOL-25G.')]);
});
