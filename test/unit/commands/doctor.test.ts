import { describe, expect, test } from 'vitest';
import { berth, type Ran } from '../../support/worlds/run-berth.ts';
import { json, pointedAt, problem, serve } from '../../support/servers/scripted-server.ts';

const LIST = json({ delegations: [] });

/** Runs berth doctor against a service that gives these answers to its three reads. */
async function doctor(answers: Parameters<typeof serve>[0], prefix = '', ...flags: readonly string[]): Promise<Ran> {
  const server = await serve(answers);
  return await berth(['doctor', ...flags], { env: pointedAt(`${server.url}${prefix}`), tty: { stdout: true } });
}

describe('berth doctor', () => {
  test('ends 0 if everything answers; 404 of the queue and 405 of the volume API count as answers', async () => {
    const ran = await doctor([LIST, problem(404, 'endpoint not found'), problem(405, 'no')]);
    expect([ran.code, ran.err]).toEqual([0, expect.not.stringMatching(/-url:/)]);
  });

  test.each<[string, Parameters<typeof serve>[0], string, number, RegExp]>([
    ['404', [problem(404, 'not found'), LIST, LIST], '', 4, /base-url: .*\(404\)\n {2}-> Check the address/],
    [
      '404 at an address with a version too many',
      [problem(404, 'not found')],
      '/v2',
      4,
      /base-url: .*\n {2}-> The address ends in a version, and berth adds one itself: leave it out\.\n[^]*queue-url: .*\n {2}-> The address ends/,
    ],
    ['something else', [json({ hello: 'world' }), LIST, LIST], '', 4, /what answers is not the service/],
    ['401', [problem(401, 'bad key'), LIST, LIST], '', 3, /base-url: .*401.*\n {2}-> The key was not accepted/],
  ])(
    'does not take %s for the management API, and prints its advice in full',
    async (_, answers, prefix, code, says) => {
      const ran = await doctor(answers, prefix);
      expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(says)]);
    },
  );

  test('with --json prints its findings in the document only', async () => {
    const ran = await doctor([problem(404, 'no'), LIST, LIST], '', '--json');
    expect(ran.err).toBe('');
    expect(JSON.parse(ran.out)).toContainEqual(
      expect.objectContaining({ check: 'base-url', result: 'ERROR', hint: expect.stringMatching(/address/) as string }),
    );
  });

  test('finds nothing wrong with the local service', async () => {
    expect((await berth(['doctor'], { env: { BERTH_LOCAL: '1' } })).code).toBe(0);
  });
});
