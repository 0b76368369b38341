import { spawn } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PAGES } from '../support/documents/pages.ts';
import { describeWithPostgres, useCluster } from '../support/postgres/postgres.ts';
import { berth, cleanEnvironment, startLine, temporaryFolder } from './support.ts';
import { startService } from './queue-service.ts';

const ITEMS = 10;
const MACHINES = 2;
/** As often as a Kubernetes Job with this limit starts a container again. */
const ATTEMPTS = 7;

const [script = ''] =
  PAGES.find(({ name }) => name === 'docs/guides/shared-batches.md')
    ?.blocks.filter(({ language }) => language === 'bash')
    .map(({ text }) => text) ?? [];

describeWithPostgres('the script of the guide on shared batches', () => {
  const cluster = useCluster();

  test('begins the batch on one machine, joins it on the others, and ends 0 on all', async () => {
    const service = await startService();
    const folder = await temporaryFolder();
    const bin = path.join(folder, 'bin');
    await mkdir(bin);
    const words = startLine().map((word) => `'${word}'`);
    await writeFile(path.join(bin, 'berth'), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`);
    await chmod(path.join(bin, 'berth'), 0o755);
    await writeFile(
      path.join(folder, 'in.jsonl'),
      Array.from({ length: ITEMS }, (_, at) => `{"n":${String(at + 1)}}\n`).join(''),
    );
    const drive = path.join(folder, 'drive.sh');
    await writeFile(drive, script.replace('s3://data/items.jsonl', 'in.jsonl').replace('s3://data/results', 'results'));
    const env = await cleanEnvironment({
      HOME: folder,
      BERTH_BASE_URL: service.url,
      BERTH_QUEUE_URL: service.url,
      BERTH_API_KEY: 'test-key-0123456789',
      BERTH_STORE: cluster().url(await cluster().createDatabase()),
    });
    const once = (): Promise<number | null> =>
      new Promise((resolve) => {
        const child = spawn('sh', [drive], {
          cwd: folder,
          env: { ...env, PATH: `${bin}:${String(env['PATH'])}` },
          stdio: 'ignore',
        });
        child.on('close', resolve);
      });
    const untilDone = async (): Promise<number | null> => {
      let code = await once();
      for (let attempt = 1; attempt < ATTEMPTS && code !== 0; attempt++) code = await once();
      return code;
    };
    expect(await Promise.all(Array.from({ length: MACHINES }, untilDone))).toEqual([0, 0]);
    expect(service.counts.size).toBe(ITEMS);
    expect([...service.counts.values()].every((times) => times === 1)).toBe(true);
    const all = path.join(folder, 'all.jsonl');
    expect((await berth(['jobs', 'batch', 'export', 'nightly', '--out', all], { env, cwd: folder })).code).toBe(0);
    expect((await readFile(all, 'utf8')).trimEnd().split('\n')).toHaveLength(ITEMS);
    // Once more, when it has ended: nothing is sent.
    expect(await once()).toBe(0);
    expect([...service.counts.values()].every((times) => times === 1)).toBe(true);
  });
});
