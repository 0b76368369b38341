import { describe, expect, it } from 'vitest';
import { listenForInterrupt } from '../../../../src/host/process/interrupt.ts';
import { createSpawn } from '../../../../src/host/process/spawn.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

describe('an interrupt', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s asks to end with %i; the second one ends at once', (name, exit) => {
    const world = createTestWorld();
    const { signal } = listenForInterrupt(world);
    world.signal(name);
    expect(signal.reason).toMatchObject({ exit });
    expect(world.exits).toEqual([]);
    world.signal(name);
    expect(world.exits).toEqual([exit]);
  });

  it('is heard a second time by whoever asks for it; the third one ends at once', () => {
    const world = createTestWorld();
    const interrupt = listenForInterrupt(world);
    const heard: string[] = [];
    const forget = interrupt.onSecond(() => heard.push('second'));
    world.signal('SIGINT');
    expect(heard).toEqual([]);
    world.signal('SIGINT');
    expect([heard, world.exits]).toEqual([['second'], []]);
    world.signal('SIGINT');
    expect(world.exits).toEqual([130]);
    forget();
  });

  it('is not heard once closed, or while it is lent', () => {
    const world = createTestWorld();
    const interrupt = listenForInterrupt(world);
    const heard: string[] = [];
    const endRedirect = interrupt.redirect((name) => heard.push(name));
    world.signal('SIGINT');
    world.signal('SIGINT');
    endRedirect();
    interrupt.close();
    world.signal('SIGTERM');
    expect([heard, world.exits, interrupt.signal.aborted]).toEqual([['SIGINT', 'SIGINT'], [], false]);
  });
});

describe('a child process', () => {
  const run = (world: ReturnType<typeof createTestWorld>, program: string, env = {}): Promise<number> =>
    createSpawn(world, listenForInterrupt(world)).run(process.execPath, ['-e', program], env);

  it('gives its exit code', async () => {
    expect(await run(createTestWorld(), 'process.exit(7)')).toBe(7);
  });

  it('gives 128 and the number of the signal that ended it', async () => {
    expect(await run(createTestWorld(), 'process.kill(process.pid, "SIGKILL")')).toBe(137);
  });

  it('has the environment of the world, with what is added, in its directory', async () => {
    const world = createTestWorld({ env: { A: 'outer', B: 'outer' } });
    const program = `process.exit(process.env.A === 'outer' && process.env.B === 'inner' && process.cwd() === process.env.DIR ? 0 : 1)`;
    expect(await run(world, program, { B: 'inner', DIR: world.directory })).toBe(0);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('gets %s passed on, and berth goes on living', async (name) => {
    const world = createTestWorld();
    const ended = run(world, 'setInterval(() => {}, 1000)');
    // The signal must not come before the process: send it until it has an effect.
    const knock = setInterval(() => {
      world.signal(name);
    }, 10);
    expect(await ended).toBe(name === 'SIGINT' ? 130 : 143);
    clearInterval(knock);
    expect(world.exits).toEqual([]);
  });

  it('that does not exist is refused with 2, by its name', async () => {
    const world = createTestWorld();
    const spawn = createSpawn(world, listenForInterrupt(world));
    await expect(spawn.run('no-such-program-here', [], {})).rejects.toMatchObject({
      exit: 2,
      message: expect.stringContaining('no-such-program-here') as string,
    });
    await expect(spawn.run(world.directory, [], {})).rejects.toMatchObject({ exit: 2 });
  });
});
