/** Two batches on one endpoint, each with a driver on a machine of its own: both together must keep the limit, and share it. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { sleep, until } from '../chaos/processes.mjs';
import { createDriver } from './driver.mjs';
import { startService } from './service.mjs';
import { writeItems } from './trial.mjs';

const NAMES = ['one', 'two'];
/** The limit of the endpoint that berth knows, and the time in which nothing is measured: the shares are not settled yet. */
const LIMIT = 99;
const SETTLE_MS = 3000;
/** An item more than a driver can send in the trial. */
const ITEMS = 100_000;

/** Runs both for some seconds. Returns the findings and the submissions of each, with the most of any ten seconds. */
export async function runPaceTrial({ folder, cluster, program, log, seconds }) {
  const findings = [];
  const found = (kind, detail) => findings.push({ kind, detail });
  const database = await cluster.createDatabase();
  const service = await startService({ items: ITEMS, batches: NAMES.length });
  await service.set({ keepTimes: true });
  const drivers = [];
  for (const [number, name] of NAMES.entries()) {
    const place = path.join(folder, name);
    await mkdir(place, { recursive: true });
    await writeItems(path.join(place, 'in.jsonl'), ITEMS, number * ITEMS);
    drivers.push(
      createDriver({
        number,
        program,
        folder: place,
        command: () => [
          ...[
            'jobs',
            'batch',
            'run',
            'trial',
            '--input',
            path.join(place, 'in.jsonl'),
            '--out',
            path.join(place, 'out'),
          ],
          ...['--name', name, '--store', cluster.url(database).replace(/:[^:@]*@/, '@'), '--json'],
        ],
        env: {
          BERTH_BASE_URL: service.url,
          BERTH_QUEUE_URL: service.url,
          BERTH_API_KEY: 'trial-key-0123456789',
          PGPASSWORD: cluster.password,
        },
        secrets: [cluster.password],
        found,
        explained: () => false,
      }),
    );
  }
  const batchOf = ([, item]) => Math.floor((item - 1) / ITEMS);
  const bothSend = async () => {
    const times = await service.times();
    const firsts = NAMES.map((_, batch) => times.find((each) => batchOf(each) === batch)?.[0]);
    return firsts.every((first) => first !== undefined) ? Math.max(...firsts) : undefined;
  };
  const began = await until(bothSend, 60_000, 100);
  if (began === undefined) found('not both batches send', drivers.map((driver) => driver.said()).join('\n'));
  else await sleep(SETTLE_MS + seconds * 1000);
  const times = await service.times();
  for (const driver of drivers) await driver.stop();
  service.stop();
  if (began === undefined) return { findings };

  const from = began + SETTLE_MS;
  const measured = times.filter(([time]) => time >= from && time < from + seconds * 1000);
  const ofEach = NAMES.map((_, batch) => measured.filter((each) => batchOf(each) === batch).length);
  const sum = measured.length;
  const most = Math.max(
    ...measured.map(([time]) => measured.filter(([other]) => other >= time && other < time + 10_000).length),
  );
  const all = LIMIT * seconds;
  log(
    `two batches in ${seconds} s: ${ofEach.join(' and ')}, in all ${sum} of ${all}; the most in ten seconds is ${most}`,
  );
  // Each driver spreads its requests evenly, so that the edge of a window can catch one more of each.
  if (sum > all + NAMES.length)
    found('both batches exceed the limit', `${sum} submissions in ${seconds} s, the limit is ${all}`);
  if (most > LIMIT * 10 + NAMES.length) found('both batches exceed the limit', `${most} submissions in ten seconds`);
  for (const [batch, count] of ofEach.entries())
    if (Math.abs(count - all / 2) > all / 20)
      found('a share is not within 10 % of half', `batch ${NAMES[batch]} has ${count} of ${all}`);
  return { findings };
}
