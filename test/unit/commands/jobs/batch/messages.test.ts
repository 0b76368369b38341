import { describe, expect, test } from 'vitest';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { items, OUT, read, RUN, summary, write } from '../../../../support/batch/command-fixture.ts';
import { FAST, createTinyQueueWorld } from '../../../../support/batch/tiny-queue-server.ts';

describe('messages of a batch', () => {
  test('a service that fails a third of the submissions leaves them unknown, and is named as the cause', async () => {
    const world = await createTinyQueueWorld({
      submit: ({ nth }) => (nth % 3 === 0 ? { status: 503, body: {} } : undefined),
    });
    write(world, 'in.jsonl', items(90));
    const ran = await berthIn(world, RUN);
    expect(ran.code, ran.err).toBe(13);
    expect(ran.err).toMatch(/30 items may or may not have run \(the service answered 503/);
  });
});

describe('a second Ctrl-C', () => {
  test('aborts requests in flight and prints the counts; the items are unknown and none is sent twice', async () => {
    const world = await createTinyQueueWorld({ submit: ({ nth }) => (nth > 10 ? { never: true } : undefined) });
    write(world, 'in.jsonl', items(60));
    world.before = (operation, nth) => {
      if (operation !== 'run' || nth !== 14) return;
      world.signal('SIGINT');
      setImmediate(() => {
        world.signal('SIGINT');
      });
    };
    const ran = await berthIn(world, [...RUN, ...FAST, '--json']);
    expect(ran.code, ran.err).toBe(130);
    expect(world.exits).toEqual([]);
    const { planned, unknown } = summary(ran) as Record<string, number>;
    expect(planned).toBe(60);
    expect(unknown, ran.out + ran.err).toBeGreaterThan(3);
    const sent = world.submitted.length;
    world.before = () => undefined;
    const status = await berthIn(world, ['jobs', 'batch', 'status', OUT, '--json']);
    expect(summary(status)).toMatchObject({ state: 'stopped', unknown });
    expect(sent).toBeLessThanOrEqual(60);
    expect(read(world, `${OUT}.journal`).match(/\["i",/g)?.length).toBeGreaterThanOrEqual(sent);
  });
});
