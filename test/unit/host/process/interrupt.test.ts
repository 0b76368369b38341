import { describe, expect, it } from 'vitest';
import { createSpawn, listenForInterrupt } from '../../../../src/host/process/spawn.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

describe('an interrupt', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGQUIT', 143],
  ] as const)('%s asks to end with %i; the second one ends at once', (name, exit) => {
    const world = createTestWorld();
    const { signal } = listenForInterrupt(world);
    world.signal(name);
    expect(signal.reason).toMatchObject({ exit });
    expect(world.exits).toEqual([]);
    world.signal(name);
    expect(world.exits).toEqual([exit]);
  });

  it('calls the second handler if it comes twice; the third one ends the process at once', () => {
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
});

describe('a child process', () => {
  const run = (world: ReturnType<typeof createTestWorld>, program: string, env = {}): Promise<number> =>
    createSpawn(world, listenForInterrupt(world), () => world.directory).run(process.execPath, ['-e', program], {
      env,
    });

  it('returns 128 plus the number of the signal that ended it', async () => {
    expect(await run(createTestWorld(), 'process.kill(process.pid, "SIGKILL")')).toBe(137);
  });

  it('runs in the directory of the world, with its environment and the added variables', async () => {
    const world = createTestWorld({ env: { A: 'outer', B: 'outer' } });
    const program = `process.exit(process.env.A === 'outer' && process.env.B === 'inner' && process.cwd() === process.env.DIR ? 0 : 1)`;
    expect(await run(world, program, { B: 'inner', DIR: world.directory })).toBe(0);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('receives %s, and berth keeps running', async (name) => {
    const world = createTestWorld();
    const ended = run(world, 'setInterval(() => {}, 1000)');
    // The signal must not be sent before the process runs: send it until it has an effect.
    const knock = setInterval(() => {
      world.signal(name);
    }, 10);
    expect(await ended).toBe(name === 'SIGINT' ? 130 : 143);
    clearInterval(knock);
    expect(world.exits).toEqual([]);
  });

  it('that does not exist ends 2 with its name', async () => {
    const world = createTestWorld();
    const spawn = createSpawn(world, listenForInterrupt(world), () => world.directory);
    await expect(spawn.run('no-such-program-here', [], {})).rejects.toMatchObject({
      exit: 2,
      message: expect.stringContaining('no-such-program-here') as string,
    });
    await expect(spawn.run(world.directory, [], {})).rejects.toMatchObject({ exit: 2 });
  });
});
