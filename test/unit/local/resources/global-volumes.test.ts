import { expect, test } from 'vitest';
import { localFixture } from '../../../support/local/service-fixture.ts';

const endpoint = {
  name: 'e',
  image: 'example/a:1',
  type: 'QUEUE',
  scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
  gpu: { pools: ['POOL-24G'] },
};
const cpu = [{ id: 'cpu-general', vcpuCount: 2 }];

test('an endpoint has one global volume at most, on GPUs, and no network volume beside it', async () => {
  const { send } = localFixture();
  const create = async (more: object) => await send('POST', '/v2/serverless', { ...endpoint, ...more });
  const { id } = (await send('POST', '/v2/global-volumes', { name: 'data' })).body;
  expect((await create({ globalVolumes: [id, id] })).status).toBe(422);
  expect((await create({ globalVolumes: ['none'] })).status).toBe(404);
  expect((await create({ globalVolumes: [id], networkVolumes: ['vol-scratch'] })).status).toBe(400);
  expect((await create({ globalVolumes: [id], gpu: undefined, cpu })).status).toBe(400);
  const made = await create({ globalVolumes: [id] });
  expect([made.status, made.body['globalVolumes']]).toEqual([201, [id]]);
  const path = `/v2/serverless/${String(made.body['id'])}`;
  expect((await send('PATCH', path, { name: 'f' })).body['globalVolumes']).toEqual([id]);
  expect((await send('PATCH', path, { networkVolumes: ['vol-scratch'] })).status).toBe(400);
  expect((await send('PATCH', path, { globalVolumes: [] })).body['globalVolumes']).toEqual([]);
});
