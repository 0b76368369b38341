import { expect, it, onTestFinished } from 'vitest';
import { LOCAL_KEY } from '../../../../src/local/http/admission.ts';
import { serveLocal } from '../../../../src/local/http/server.ts';
import { recordPrinted } from '../../../../src/local/queue/engine.ts';
import { submit, type AttachedService } from '../../../support/local/attached-service.ts';
import { exit, KILLED, managed, workerIds } from '../../../support/local/managed-service.ts';
import { attachWorker } from '../../../support/local/protocol-worker.ts';
import { pointedAt } from '../../../support/servers/scripted-server.ts';
import { berth, type Ran } from '../../../support/worlds/run-berth.ts';

/** Ends the process of the worker; its last line is `line`. */
function crash(local: AttachedService, workerId: string, line: string): void {
  recordPrinted(local.state, workerId, [line], local.clock.now());
  exit(local, workerId, KILLED);
}

/** A service that starts a process for each worker of `mine`, over HTTP; the test plays the processes. */
async function served(): Promise<AttachedService & { run(...argv: readonly string[]): Promise<Ran> }> {
  const local = await managed();
  const server = await serveLocal(local.service, { port: 0, host: '127.0.0.1' });
  onTestFinished(() => server.stop());
  const env = { ...pointedAt(server.url), BERTH_API_KEY: LOCAL_KEY };
  return { ...local, run: (...argv) => berth(argv, { env }) };
}

it('explains a job that ends the process of each of its workers', async () => {
  const local = await served();
  const id = await submit(local, {});
  // Reading a log moves the clock of the service, so each command has a crash of its own.
  const crashAgain = async (): Promise<void> => {
    local.clock.advance(60_000);
    await local.send('GET', '/v2/mine/health');
    const worker = await attachWorker(local.service, 'mine', workerIds(local)[0]);
    await worker.take();
    crash(local, worker.id, 'out of memory at layer 7');
    local.clock.advance(1);
  };
  await crashAgain();
  for (const argv of [
    ['endpoints', 'explain', 'mine'],
    ['jobs', 'explain', 'mine', id],
  ]) {
    await crashAgain();
    const { out } = await local.run(...argv);
    expect(out).toContain('workers crash: the process was ended by SIGKILL');
    expect(out).toMatch(/last log line\s+out of memory at layer 7\b/);
    expect(out).toContain('berth endpoints logs mine w');
  }
  await crashAgain();
  expect((await local.run('endpoints', 'logs', 'mine', '--source', 'system')).out).toContain(
    'worker crashed: the process was ended by SIGKILL',
  );
});

it('explains a worker whose process ends at its start', async () => {
  const local = await served();
  await submit(local, {});
  crash(local, workerIds(local)[0] ?? '', 'No module named torch');
  local.clock.advance(1);
  expect((await local.run('endpoints', 'explain', 'mine')).out).toContain(
    'workers crash: the process was ended by SIGKILL',
  );
});

it('shows the log of the worker that ended last when there are no workers, and names the earlier ones', async () => {
  const local = await served();
  const ids: string[] = [];
  for (const line of ['first words', 'last words']) {
    const worker = await attachWorker(local.service, 'mine', (await submit(local, {}), workerIds(local)[0]));
    const job = (await worker.take())?.id ?? '';
    recordPrinted(local.state, worker.id, [line], local.clock.now());
    await worker.done(job, 1);
    local.clock.advance(60_000);
    await local.send('GET', '/v2/mine/health');
    ids.push(worker.id);
  }
  const { code, out, err } = await local.run('endpoints', 'logs', 'mine');
  expect([code, err]).toEqual([
    0,
    `Endpoint mine has no workers now. This is the log of ${ids[1] ?? ''}, which has ended.\n`,
  ]);
  expect(out).toContain('last words');
  expect(out).not.toContain('first words');
  expect((await local.run('endpoints', 'logs', 'mine', ids[0] ?? '')).out).toContain('first words');
});

it('says that there are no workers when none has ever run', async () => {
  const local = await served();
  const { code, err } = await local.run('endpoints', 'logs', 'mine');
  expect(code).toBe(4);
  expect(err).toContain('endpoint mine has no workers now');
});
