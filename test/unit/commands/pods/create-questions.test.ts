import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, KEYS, type TestWorld } from '../../../support/worlds/test-world.ts';

const local = (world: TestWorld, ...argv: readonly string[]): Promise<Ran> =>
  berthIn(world, ['--local', 'pods', ...argv]);

const answering =
  (world: TestWorld) =>
  async (question: string | RegExp, ...keys: readonly string[]): Promise<void> => {
    const isAsked = (): boolean => {
      const shown = stripVTControlCharacters(world.err());
      return typeof question === 'string' ? shown.includes(question) : question.test(shown);
    };
    while (!isAsked()) await new Promise(setImmediate);
    await world.type(...keys);
  };

describe('pods create on a terminal', () => {
  it('asks for missing values, with choices from the lists of the service', async () => {
    const world = createTestWorld({ tty: true, columns: 120 });
    const running = local(world, 'create');
    const answer = answering(world);
    await answer('Name', 'lab', KEYS.enter);
    await answer('GPU type or CPU flavor?', KEYS.enter);
    await answer(/\? GPU type(?! or)/, KEYS.down, KEYS.enter);
    await answer('Image or Template?', KEYS.enter);
    await answer(/\? Image(?! or)/, 'a/b', KEYS.enter);
    await answer('Data center', KEYS.down, KEYS.enter);
    await answer('Network volume', KEYS.down, KEYS.enter);
    await answer("SSH with the account's keys?", KEYS.enter);
    await answer('Ports to publish', '22', KEYS.enter);
    await answer('22 is not PORT/http or PORT/tcp', '/tcp,8888/http', KEYS.enter);
    await answer('Create it for $', 'y', KEYS.enter);
    const { code } = await running;
    expect(code).toBe(0);
    expect(world.err().replace(/\s+/g, ' ')).toContain(
      'Without questions: berth --local pods create --name lab --image a/b --port 22/tcp,8888/http --gpu GPU-24G --data-center EU-NORTH-1 --start-ssh --network-volume vol-datasets:/workspace',
    );
    expect(stripVTControlCharacters(world.err())).toMatch(/^\(local service\)\n\? Name/);
    expect(world.err()).toMatch(/Next: berth --local pods wait (\S+), then berth --local pods ssh \1\n/);
    expect(world.err()).toMatch(/GPU-24G {2}24 GB {2}\$0\.69\/h {2}(HIGH|MEDIUM|LOW)/);
    const { out } = await local(world, 'get', 'lab', '--json');
    expect(JSON.parse(out)).toMatchObject({
      gpu: { id: 'GPU-24G', count: 1 },
      image: 'a/b',
      ports: ['22/tcp', '8888/http'],
      dataCenterId: 'EU-NORTH-1',
      mounts: { network: [{ volumeId: 'vol-datasets', path: '/workspace' }] },
    });
  });

  it('offers the volumes of every data center where none was picked: the volume fixes it', async () => {
    const world = createTestWorld({ tty: true, columns: 120 });
    const running = local(world, 'create', '--gpu', 'GPU-24G', '--image', 'a/b');
    const answer = answering(world);
    await answer('Name', KEYS.enter);
    await answer('a name is needed', 'lab', KEYS.enter);
    await answer('Data center', KEYS.enter);
    await answer('Network volume: it fixes the data center', KEYS.down, KEYS.enter);
    await answer("SSH with the account's keys?", 'n', KEYS.enter);
    await answer('Ports to publish', KEYS.enter);
    await answer('Create it for $0.69 an hour? (y/N)', 'y', KEYS.enter);
    expect((await running).code, world.err()).toBe(0);
    expect(stripVTControlCharacters(world.err())).toMatch(/vol-datasets {2}datasets {2}\S+ \S+ {2}EU-NORTH-1/);
    expect(world.err()).not.toContain('--name is needed');
    expect(world.err().replace(/\s+/g, ' ')).toContain(
      '--data-center EU-NORTH-1 --network-volume vol-datasets:/workspace',
    );
  });

  it('asks for the vCPUs of a CPU pod, and leaves values of variables out of the command line', async () => {
    const world = createTestWorld({ tty: true, columns: 120 });
    const running = local(world, 'create', '--image', 'a/b', '--env', 'TOKEN=hidden-value', '--args', '--epochs 3');
    const answer = answering(world);
    await answer('Name', 'web', KEYS.enter);
    await answer('GPU type or CPU flavor?', KEYS.down, KEYS.enter);
    await answer('CPU flavor', KEYS.enter);
    await answer('vCPUs', '3', KEYS.enter);
    await answer('--vcpu is a power of two', '\u007f', '64', KEYS.enter);
    await answer('has 2 to 32 vCPUs, not 64', '\u007f\u007f', '4', KEYS.enter);
    await answer('Data center', KEYS.enter);
    await answer('Network volume: it fixes the data center', KEYS.enter);
    await answer("SSH with the account's keys?", 'n', KEYS.enter);
    await answer('Ports to publish', KEYS.enter);
    await answer('Create it for $', 'y', KEYS.enter);
    expect((await running).code, world.err()).toBe(0);
    expect(world.err().replace(/\s+/g, ' ')).toContain(
      "Without questions: berth --local pods create --name web --image a/b --args='--epochs 3' --cpu cpu-general --vcpu 4 --env TOKEN=...",
    );
    expect(world.err()).not.toContain('hidden-value');
    expect(world.err()).toMatch(/Next: berth --local pods wait (\S+), then berth --local pods logs \1 --follow\n/);
  });

  it('names the flags that place it in the command line, and asks about the price of a candidate', async () => {
    const world = createTestWorld({ tty: true, columns: 120 });
    const place = ['--gpu', 'GPU-24G', '--gpu', 'GPU-48G', '--max-price', '2.50', '--stop-after', '8h', '--wait'];
    const running = local(world, 'create', '--image', 'a/b', ...place);
    const answer = answering(world);
    await answer('Name', 'web', KEYS.enter);
    await answer('Data center', KEYS.enter);
    await answer('Network volume', KEYS.enter);
    await answer("SSH with the account's keys?", 'n', KEYS.enter);
    await answer('Ports to publish', KEYS.enter);
    await answer('Create it for at most $', 'n', KEYS.enter);
    expect((await running).code).toBe(2);
    // A value that was left out is not sent as it stands there.
    const pasted = await local(createTestWorld(), 'create', '--name', 'a', '--image', 'a/b', '--env', 'TOKEN=...');
    expect([pasted.code, pasted.err]).toEqual([2, expect.stringContaining('stands for a value that was left out')]);
    expect(world.err().replace(/\s+/g, ' ')).toMatch(
      /Without questions: \S+ --local pods create .*--gpu GPU-24G --gpu GPU-48G .*--stop-after 8h .*--max-price 2\.50 --wait/,
    );
  });

  it('asks for the vCPUs where nothing else is missing, and then whether to create it at its price', async () => {
    const world = createTestWorld({ tty: true, columns: 120 });
    const running = local(world, 'create', '--name', 'web', '--image', 'a/b', '--cpu', 'cpu-general');
    const answer = answering(world);
    await answer('vCPUs, a power of two, 2 to 32 (2)', '8', KEYS.enter);
    await answer('Create it for $', 'y', KEYS.enter);
    expect((await running).code, world.err()).toBe(0);
    const shown = stripVTControlCharacters(world.err());
    expect(shown).toMatch(
      /8 vCPU of cpu-general on the SECURE cloud costs \$0\.24 an hour[^]*Create it for \$0\.24 an hour\? \(y\/N\)/,
    );
    expect(shown).toContain('--cpu cpu-general --vcpu 8');
    expect(shown).not.toContain('Data center');
  });

  it('says what may come next once it has waited, and not before', async () => {
    const world = createTestWorld({ tty: true, columns: 120 });
    const flags = ['--name', 'lab', '--gpu', 'GPU-24G', '--image', 'a/b', '--start-ssh', '--port', '22/tcp'];
    expect((await local(world, 'create', ...flags, '--wait', '--yes')).code, world.err()).toBe(0);
    expect(world.err()).toMatch(/created (\S+)\n[^]*Next: berth --local pods ssh \1\n$/);
    expect(world.err()).not.toContain('pods wait');
  });

  it('creates nothing when the price is declined', async () => {
    const world = createTestWorld({ tty: true, columns: 120 });
    const given = [
      '--name',
      'lab',
      '--gpu',
      'GPU-24G',
      '--data-center',
      'EU-NORTH-1',
      '--start-ssh',
      '--port',
      '22/tcp',
    ];
    const running = local(world, 'create', ...given);
    const answer = answering(world);
    await answer('Image or Template?', KEYS.enter);
    await answer(/\? Image(?! or)/, 'a/b', KEYS.enter);
    await answer('Create it for $', 'n', KEYS.enter);
    expect([(await running).code, world.err()]).toEqual([
      2,
      expect.stringContaining('not confirmed: nothing was created'),
    ]);
    // The price stands above the last question, and no other question between them.
    const shown = stripVTControlCharacters(world.err());
    expect(shown.slice(shown.indexOf('an hour'), shown.indexOf('Create it for'))).not.toContain('? Image');
    expect(shown).toMatch(
      /1 x GPU-24G on the SECURE cloud costs \$0\.69 an hour[^]*Create it for \$0\.69 an hour\? \(y\/N\)/,
    );
    expect((await local(world, 'list', '--match', 'lab', '-o', 'id')).out).toBe('');
  });
});
