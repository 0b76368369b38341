import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import type { Arrival } from '../../../support/servers/scripted-server.ts';
import { remoteService, type Fault } from '../../../support/servers/remote-service.ts';
import { berth } from '../../../support/worlds/run-berth.ts';
import { filesIn } from '../../../support/worlds/synced-folder.ts';

/** More than a page of a listing has. */
const MANY = 1001;

/** When the files of both sides were written. Seconds since the epoch. */
const WRITTEN_AT = 1_700_000_000;

/** Whether a request asks for a page of a listing, and for one after the first. */
function listingOf({ method, url }: Arrival): 'first' | 'next' | undefined {
  const { searchParams: query } = new URL(url, 'http://localhost');
  if (method !== 'GET' || !query.has('list-type')) return undefined;
  return query.has('continuation-token') ? 'next' : 'first';
}

/** Both sides were listed by then. */
const isCopyOfNew = ({ method, url }: Arrival): boolean => method !== 'HEAD' && /\/e\/new$/.test(url);

/** A volume and a local folder, in which files can be written, and a sync between them with --delete in the given direction. */
async function start(direction: 'to the volume' | 'from the volume') {
  let fault: (seen: Arrival) => Fault | undefined = () => undefined;
  const { clock, env, volumesFolder } = await remoteService((seen) => fault(seen));
  const cwd = temporaryDirectory();
  const run = (line: string) => berth(['files', ...line.split(' ')], { cwd, env, clock });
  await run('ls datasets:');
  const volume = path.join(volumesFolder, readdirSync(volumesFolder)[0] ?? '', 'vol-datasets');
  const local = path.join(cwd, 'd');
  const [source, target] = direction === 'to the volume' ? [local, volume] : [volume, local];
  // All with one time: what both sides have is the same without a look at its content.
  const write = (folder: string, name: string, text: string) => {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    utimesSync(file, WRITTEN_AT, WRITTEN_AT);
  };
  return {
    source,
    target,
    write,
    /** Sets what happens to requests from now on. */
    setFault: (next: typeof fault) => {
      fault = next;
    },
    sync: () => run(`sync ${direction === 'to the volume' ? 'd/ datasets:' : 'datasets: d/'} --delete --yes`),
  };
}

/** A page that names itself as the next one. */
const LOOP =
  '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken></ListBucketResult>';

/** What happens to a page after the first, and what the command says. */
const FAILING = [
  ['a page after the first fails', { refuse: 500 }, '500'],
  ['pages after the first go in circles', { answer: LOOP }, 'circles'],
] as const satisfies readonly (readonly [string, Fault, string])[];

describe.each(['to the volume', 'from the volume'] as const)('a sync %s with --delete', (direction) => {
  it.each(FAILING.slice(0, direction === 'to the volume' ? 2 : 1))(
    'removes nothing where %s',
    async (_, happens, says) => {
      const { source, target, write, setFault, sync } = await start(direction);
      for (const side of [source, target]) {
        write(side, 'e/two', 'two');
        for (let count = 0; count < MANY; count++) write(side, `many/${String(count)}`, '');
      }
      // They are seen before the listing fails, and the last one after it.
      for (const name of ['e/extra', 'extra', 'many/extra', 'z/extra']) write(target, name, 'extra');
      const before = filesIn(target);
      setFault((seen) => (listingOf(seen) === 'next' ? happens : undefined));
      const ran = await sync();
      expect([ran.code, ran.err]).toEqual([7, expect.stringContaining(says)]);
      expect(filesIn(target)).toEqual(before);
      setFault(() => undefined);
      const again = await sync();
      expect(again.code, again.err).toBe(0);
      expect(filesIn(target)).toEqual(filesIn(source));
    },
  );

  it('removes nothing where a copy failed, says so, and ends as the copy', async () => {
    const { source, target, write, setFault, sync } = await start(direction);
    for (const name of ['e/two', 'new']) write(source, name, 'new');
    write(target, 'kept', 'old');
    setFault(({ url, method }) =>
      method !== 'HEAD' && new URL(url, 'http://localhost').pathname.endsWith('/new') ? { refuse: 500 } : undefined,
    );
    const ran = await sync();
    expect([ran.code, ran.err]).toEqual([7, expect.stringContaining('Nothing was removed')]);
    // What arrived of a file stays, for the next time.
    expect(filesIn(target).filter((name) => !name.startsWith('.berth-'))).toEqual(['e/two', 'kept']);
    setFault(() => undefined);
    expect((await sync()).code).toBe(0);
    expect(filesIn(target)).toEqual(filesIn(source));
  });

  it('looks at the source again before it removes a file', async () => {
    const { source, target, write, setFault, sync } = await start(direction);
    for (const side of [source, target]) write(side, 'e/two', 'two');
    for (const name of ['one', 'other']) write(target, name, 'old');
    write(source, 'e/new', 'new');
    setFault((seen) => (isCopyOfNew(seen) ? { first: appears } : undefined));
    const appears = () => {
      write(source, 'one', 'new');
      return Promise.resolve();
    };
    const ran = await sync();
    expect([ran.code, ran.err]).toEqual([14, expect.stringContaining('the source has this file by now')]);
    expect(filesIn(target)).toEqual(['e/new', 'e/two', 'one']);
  });

  it.each([
    ['another size', 'changed', 0],
    // Within the second, so that a HEAD shows no later time. With the very same time, the local service would keep its ETag.
    ['another content of the same size', 'new', 0.5],
    ['the same content, written later', 'old', 5],
  ])('does not remove a file that has %s by now', async (_, text, seconds) => {
    const { source, target, write, setFault, sync } = await start(direction);
    for (const side of [source, target]) write(side, 'e/two', 'two');
    for (const name of ['one', 'other']) write(target, name, 'old');
    write(source, 'e/new', 'new');
    const changes = () => {
      const file = path.join(target, 'one');
      rmSync(file);
      writeFileSync(file, text);
      utimesSync(file, WRITTEN_AT + seconds, WRITTEN_AT + seconds);
      return Promise.resolve();
    };
    setFault((seen) => (isCopyOfNew(seen) ? { first: changes } : undefined));
    const ran = await sync();
    expect([ran.code, ran.err]).toEqual([14, expect.stringContaining('was changed meanwhile')]);
    expect(filesIn(target)).toEqual(['e/new', 'e/two', 'one']);
  });
});

it('removes nothing where a folder of the source cannot be read by the time it is looked at', async () => {
  const { source, target, write, setFault, sync } = await start('to the volume');
  for (const side of [source, target]) {
    for (let count = 0; count < MANY; count++) write(side, `a/${String(count)}`, '');
    write(side, 'z/one', 'one');
  }
  write(target, 'extra', 'extra');
  const before = filesIn(target);
  const vanishes = () => {
    rmSync(path.join(source, 'z'), { recursive: true, force: true });
    return Promise.resolve();
  };
  setFault((seen) => (listingOf(seen) === 'next' ? { first: vanishes } : undefined));
  const ran = await sync();
  expect([ran.code, ran.err]).toEqual([14, expect.stringContaining('Nothing was removed')]);
  expect(filesIn(target)).toEqual(before);
});
