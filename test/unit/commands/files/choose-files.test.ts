import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { filesIn, startSync } from '../../../support/worlds/synced-folder.ts';

describe('the files of a copy', () => {
  it.each([
    ["--exclude '*.tmp'", ['d/.gitignore', 'd/e/two', 'd/one']],
    ["--exclude 'e/'", ['d/.gitignore', 'd/one', 'd/three.tmp']],
    ["--include 't*'", ['d/e/two', 'd/three.tmp']],
    ["--exclude '*' --include 'one'", ['d/one']],
  ])('are chosen by %s, in both directions', async (flags, expected) => {
    const { run, write, keys, at } = startSync();
    write('d/three.tmp', 'three');
    write('d/.gitignore', '');
    const up = await run(`cp -r ${flags} d datasets:`);
    expect(up.code, up.err).toBe(0);
    expect(await keys('datasets:')).toEqual(expected);
    await run('cp -r d datasets:');
    const down = await run(`cp -r ${flags} datasets:d/ back`);
    expect(down.code, down.err).toBe(0);
    expect(filesIn(at('back'))).toEqual(expected.map((each) => each.slice(2)));
  });

  it('are those that links lead to with --follow-links, each folder once', async () => {
    const { run, at, keys } = startSync();
    mkdirSync(at('outside'));
    writeFileSync(at('outside/far'), 'far');
    symlinkSync(at('outside'), at('d/linked'));
    symlinkSync(at('d'), at('d/e/circle'));
    symlinkSync('one', at('d/alias'));
    const ran = await run('cp -r --follow-links d/ datasets:');
    expect(ran.code, ran.err).toBe(0);
    expect(ran.err).toMatch(/e\/circle is left out: it is a link to a folder that it is in/);
    expect((await keys('datasets:')).filter((key) => !key.startsWith('.'))).toEqual([
      'alias',
      'e/two',
      'linked/far',
      'one',
    ]);
  });
});

it('a sync with --verify reads back what it copied', async () => {
  const { run } = startSync();
  const reads = (trace: string) => [...trace.matchAll(/GET http:\/\/localhost\/vol-datasets\/[^?\s]+/g)].length;
  const [plain, verified] = [
    await run('sync d/ datasets:a --verbose'),
    await run('sync d/ datasets:b --verify --verbose'),
  ];
  expect([plain.code, verified.code], verified.err).toEqual([0, 0]);
  expect([reads(plain.err), reads(verified.err)]).toEqual([0, 2]);
});

describe('a write that cannot fit on the volume', () => {
  /** Ten files of 0.99 GB, without content. The volume has 10 GB. */
  const start = () => {
    const started = startSync();
    for (let each = 1; each <= 10; each += 1) {
      started.write(`big/f${String(each)}`, '');
      truncateSync(started.at(`big/f${String(each)}`), 990_000_000);
    }
    return started;
  };

  it.each(['cp -r big scratch:', 'cp -r big scratch: --dry-run', 'mv -r big scratch:', 'sync big scratch:'])(
    'is refused before anything is sent: %s',
    async (line) => {
      const { run, write, at } = start();
      write('big/last', '');
      truncateSync(at('big/last'), 1_100_000_000);
      const ran = await run(line);
      expect(ran.code).toBe(5);
      expect(ran.err).toMatch(/cannot fit on the volume scratch: 11 GB, and it has 10 GB in all; 1 GB are missing/);
      expect(ran.err).toContain('volumes update scratch --size 11');
      expect(ran.err).toMatch(/11 GB costs \$0\.77 a month/);
      expect((await run('ls -r scratch: --json')).out.trim()).toBe('[]');
    },
  );

  it('is refused where other files take the space, which are counted, and not what is replaced', async () => {
    const { run, write, at } = start();
    write('has', '');
    truncateSync(at('has'), 200_000_000);
    const copied = await run('cp has scratch:other');
    expect(copied.code, copied.err).toBe(0);
    const ran = await run('cp -r big scratch:');
    expect(ran.code).toBe(5);
    expect(ran.err).toMatch(/9\.9 GB, and 9\.8 GB of its 10 GB are free; 100 MB are missing/);
    expect(ran.err).toContain('volumes update scratch --size 11');
  });
});
