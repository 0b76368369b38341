import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { createAccount } from '../../../support/worlds/local-account.ts';

const NAME_IS_MISSING = [
  ['pods create --gpu GPU-24G --template nope', 4, 'template'],
  ['pods create --gpu GPU-24G --image a/b --network-volume nope', 4, 'volume'],
  ['pods create --gpu GPU-24G --image a/b --registry nope', 4, 'registry'],
  ['pods create --gpu GPU-81G --image a/b', 5, 'GPU type GPU-81G'],
  ['pods create --cpu nope --image a/b --name c', 5, 'CPU flavor nope'],
  ['pods create --gpu GPU-24G --image a/b --data-center MOON', 5, 'data center MOON'],
  ['endpoints create --gpu-pool POOL-80G --template nope', 4, 'template'],
  ['endpoints create --gpu-pool POOL-0G --image a/b', 5, 'pool POOL-0G'],
  ['clusters create --gpu GPU-81G --image a/b', 5, 'GPU type GPU-81G'],
  ['templates create --image a/b --registry nope', 4, 'registry'],
] as const;

test.each(NAME_IS_MISSING)('%s looks up what it names before it asks for the rest: %i', async (line, code, says) => {
  const ran = await createAccount()(line, { tty: true, columns: 200 });
  expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(`o ${says}`)]);
  expect(stripVTControlCharacters(ran.err)).not.toMatch(/^\? /m);
});
