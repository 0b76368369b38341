import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fleetOf, namesOf, THIRTY_THINGS } from '../../../support/apply/thirty-things.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { remoteService, type Fault } from '../../../support/servers/remote-service.ts';
import { killedRuns, worldAt } from '../../../support/worlds/killed-runs.ts';

// An apply of a fleet whose answer to any one request is lost, or that is killed before or after it was done. It is
// applied again on a service whose lists lag behind: at once, or after a kill once they are up to date.

/** For so long a list does not have what is new. Milliseconds. */
const LAG_MS = 20_000;

/**
 * BERTH_APPLY_FAULTS=all: thirty things, every trouble at every request, with and without a lag. Otherwise one of each kind, one
 * trouble at each request, with a lag.
 */
const ALL = process.env['BERTH_APPLY_FAULTS'] === 'all';
const FLEET = ALL ? THIRTY_THINGS : fleetOf(1);

const TROUBLES = ['lost answer', 'kill before', 'kill after'] as const;
type Trouble = (typeof TROUBLES)[number];

/** Applies with trouble at one request, and again without; each thing is there once. Returns how many requests were sent. */
async function applyTwice(trouble: Trouble | undefined, at: number, lag: number): Promise<number> {
  let count = 0;
  let isFirst = true;
  const remote = await remoteService(({ method, url, body }): Fault | undefined => {
    if (!isFirst || count++ !== at || trouble === undefined) return undefined;
    if (trouble === 'lost answer') return 'lose';
    return {
      first: async () => {
        if (trouble === 'kill after') await remote.send(method, url, body.length === 0 ? undefined : body.toString());
        await runs.kill();
      },
    };
  });
  if (lag > 0) await remote.send('POST', '/local/fault', { kind: 'replica-lag', latencyMs: lag });
  const runs = killedRuns(remote.clock);
  const directory = temporaryDirectory();
  writeFileSync(path.join(directory, 'fleet.yaml'), FLEET.text);
  const run = (...argv: readonly string[]) => runs.run(worldAt(remote.env, directory), argv);
  const first = await run('apply', 'fleet.yaml', '--yes');
  if (trouble === undefined) expect(first).toMatchObject({ code: 0 });
  if (trouble?.startsWith('kill') === true) expect(first).toBeUndefined();
  isFirst = false;
  // Nothing of a killed run is on this machine: only the list tells.
  if (first === undefined) {
    // What the killed run had sent arrives before.
    for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
    remote.clock.advance(lag);
  }
  expect(await run('apply', 'fleet.yaml', '--yes')).toMatchObject({ code: 0 });
  remote.clock.advance(lag);
  expect(await run('plan', 'fleet.yaml')).toMatchObject({ code: 0 });
  for (const [collection, names] of FLEET.names) expect(await namesOf(remote, collection)).toEqual(names);
  await runs.end(remote.server.stop);
  return count;
}

const CASES = (ALL ? [0, LAG_MS] : [LAG_MS]).flatMap((lag) => TROUBLES.map((trouble) => ({ lag, trouble })));

test.each(CASES)('$trouble at any request, with a lag of $lag ms', { timeout: 0 }, async ({ lag, trouble }) => {
  const requests = await applyTwice(undefined, 0, lag);
  expect(requests).toBeGreaterThan(12);
  const step = ALL ? 1 : TROUBLES.length;
  for (let at = ALL ? 0 : TROUBLES.indexOf(trouble); at < requests; at += step) await applyTwice(trouble, at, lag);
});
