import { describe, expect, it } from 'vitest';
import { decodeCommand } from '../../../../src/local/model/container.ts';
import { localFixture, POD_BODY } from '../../../support/local/service-fixture.ts';

describe('the stored text of a command (additions 2)', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['', [], []],
    ['python train.py --epochs 3', [], ['python', 'train.py', '--epochs', '3']],
    [`sh -c "echo 'a b' > $HOME/out; ls *.py"`, [], ['sh', '-c', `echo 'a b' > $HOME/out; ls *.py`]],
    ['a # b', [], ['a', '#', 'b']],
    [`it's  open`, [], [`it's`, 'open']],
    ['{"entrypoint":["sh","-c"],"cmd":["a b"]}', ['sh', '-c'], ['a b']],
    ['{"cmd":[]}', [], []],
    ['{"cmd":"text"}', [], ['{cmd:text}']],
    ['{"cmd":["a"],"other":1}', [], ['{cmd:[a],other:1}']],
    ['{}', [], ['{}']],
  ])('%s', (args, entrypoint, cmd) => {
    expect(decodeCommand(args)).toEqual({ entrypoint, cmd });
  });
});

describe('arrays beside args', () => {
  it('what is written as arrays is stored as JSON; a PATCH of one keeps the other; empty arrays clear', async () => {
    const { send } = localFixture();
    const { body } = await send('POST', '/v2/pods', { ...POD_BODY, entrypoint: ['sh', '-c'], cmd: ['a b'] });
    const path = `/v2/pods/${String(body['id'])}`;
    expect(body).toMatchObject({
      args: '{"entrypoint":["sh","-c"],"cmd":["a b"]}',
      entrypoint: ['sh', '-c'],
      cmd: ['a b'],
    });
    expect((await send('PATCH', path, { cmd: ['c'] })).body).toMatchObject({ entrypoint: ['sh', '-c'], cmd: ['c'] });
    expect((await send('PATCH', path, { name: 'n' })).body).toMatchObject({ entrypoint: ['sh', '-c'], cmd: ['c'] });
    expect((await send('PATCH', path, { entrypoint: [] })).body).toMatchObject({ entrypoint: [], cmd: ['c'] });
    expect((await send('PATCH', path, { args: '' })).body).toMatchObject({ args: '', entrypoint: [], cmd: [] });
  });

  it.each([
    ['that says the same', { args: 'a "b c"', cmd: ['a', 'b c'] }, 201],
    ['that says something else', { args: 'a b', cmd: ['a'] }, 400],
    ['with an entrypoint that args has not', { args: 'a', entrypoint: ['sh'] }, 400],
  ])('args %s', async (_, command, status) => {
    const { send } = localFixture();
    expect((await send('POST', '/v2/pods', { ...POD_BODY, ...command })).status).toBe(status);
    expect((await send('POST', '/v2/templates', { name: 't', image: 'i', ...command })).status).toBe(status);
  });

  it('a template gives the array that the body leaves out', async () => {
    const { send } = localFixture();
    const { body } = await send('POST', '/v2/templates', {
      name: 't',
      image: 'example/image:1',
      entrypoint: ['sh', '-c'],
      cmd: ['a'],
    });
    expect(body).toMatchObject({ entrypoint: ['sh', '-c'], cmd: ['a'] });
    const pod = { name: 'p', templateId: body['id'], gpu: POD_BODY.gpu };
    expect((await send('POST', '/v2/pods', { ...pod, cmd: ['b'] })).body).toMatchObject({
      entrypoint: ['sh', '-c'],
      cmd: ['b'],
    });
    expect((await send('POST', '/v2/pods', { ...pod, args: 'x' })).body).toMatchObject({ entrypoint: [], cmd: ['x'] });
  });

  it('endpoints have them too, and a new command makes a release', async () => {
    const { send } = localFixture();
    const { body } = await send('PATCH', '/v2/serverless/echo', { cmd: ['serve'] });
    expect(body).toMatchObject({ args: '{"cmd":["serve"]}', cmd: ['serve'], entrypoint: [] });
    expect((await send('GET', '/v2/serverless/echo/releases')).body).toMatchObject({ endpointVersion: 2 });
  });
});
