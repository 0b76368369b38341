/** What an explanation reads: the row first, then only what its state asks for. */
import type { CommandContext } from '../../cli/model/context.ts';
import { ENDPOINTS, PODS } from '../../cli/resource/collections.ts';
import { withId } from '../../cli/resource/targets.ts';
import { listRequest, rowRequest } from '../../cli/resource/requests.ts';
import { readRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { type Failure, isNotFound } from '../../core/failure.ts';
import type { Id } from '../../core/ids.ts';
import { itemsAt, type Json, memberAt, stringAt } from '../../core/json.ts';
import { hasEnded, isRunning } from '../../queue/job-status.ts';
import { healthRequest, statusRequest } from '../../queue/requests.ts';
import { Facts } from './facts.ts';

/** A refusal that is itself the cause: no credit, or too many requests. */
const isReason = ({ exit, status }: Failure): boolean => exit === EXIT.rateLimited || status === 402;

/** Fails with not-found (4). */
export async function readPod(ctx: CommandContext, word: string, isReachable: (pod: Json) => boolean): Promise<Facts> {
  return await withId(ctx, PODS, word, async (id) => {
    const facts = new Facts(ctx, { pod: id });
    await facts.read('pod', rowRequest(PODS, id));
    const failure = facts.failure('pod');
    if (failure !== undefined && !isReason(failure)) throw failure;
    facts.isReachable = isReachable(facts.value('pod') ?? null);
    const status = facts.text('pod', 'status');
    const log = (source: string) => readRequest([...PODS.path, id, 'logs'], { query: { source } });
    if (['PROVISIONING', 'STARTING', 'ERROR'].includes(status)) await facts.readLine('last system line', log('system'));
    if (status === 'ERROR') await facts.readLine('last container line', log('container'));
    return facts;
  });
}

/** Fails with not-found (4). */
export async function readEndpoint(ctx: CommandContext, word: string): Promise<Facts> {
  return await withId(ctx, ENDPOINTS, word, async (id) => {
    const facts = new Facts(ctx, { endpoint: id });
    await readQueue(facts, id);
    if (facts.number('health', 'jobs.inProgress') !== 0)
      for (const row of busyWorkers(facts)) await readLostResult(facts, id, row);
    return facts;
  });
}

/** Of a job that has ended only its status is read. Fails with not-found (4) without such an endpoint. */
export async function readJob(
  ctx: CommandContext,
  word: string,
  job: string,
  isCertainlyThere: (endpoint: string) => Promise<boolean>,
): Promise<Facts> {
  return await withId(ctx, ENDPOINTS, word, async (id) => {
    const facts = new Facts(ctx, { endpoint: id, job });
    await facts.read('job', statusRequest(id, job));
    facts.submitted = (await ctx.jobs.read()).find((each) => each.id === job);
    facts.isCertainlyThere = await isCertainlyThere(id);
    if (hasEnded(facts.value('job'))) return facts;
    await readQueue(facts, id);
    if (isRunning(facts.value('job'))) for (const row of busyWorkers(facts)) await readLostResult(facts, id, row, job);
    return facts;
  });
}

async function readQueue(facts: Facts, id: Id<'endpoint'>): Promise<void> {
  const below = (member: string) => listRequest({ path: [...ENDPOINTS.path, id, member], member });
  await Promise.all([
    facts.read('endpoint', rowRequest(ENDPOINTS, id)),
    facts.read('workers', below('workers')),
    facts.read('health', healthRequest(id)),
    facts.read('builds', below('builds')),
  ]);
  // Older services have no such list.
  if (isNotFound(facts.failure('builds'))) facts.forget('builds');
  // An endpoint that balances load has no queue.
  if (facts.text('endpoint', 'type') === 'LOAD_BALANCER') facts.forget('health');
  const [row, health] = [facts.failure('endpoint'), facts.failure('health')];
  // A public model has only a queue and is not in the account.
  if (row !== undefined && health !== undefined && !isReason(row) && !isReason(health))
    throw isNotFound(health) ? row : health;
  const crashed = itemsAt(facts.value('workers'), 'workers').find((each) => memberAt(each, 'status') === 'UNHEALTHY');
  if (crashed === undefined) return;
  facts.worker = stringAt(crashed, 'id') ?? '';
  await Promise.all([
    facts.readLine('how it ended', workerLog(id, facts.worker, 'system'), saysHowItEnded),
    facts.readLine('last log line', workerLog(id, facts.worker, 'container')),
  ]);
}

const workerLog = (id: Id<'endpoint'>, worker: string, source: string) =>
  readRequest([...ENDPOINTS.path, id, 'workers', worker, 'logs'], { query: { source } });

const saysHowItEnded = (line: string): boolean =>
  /\bcrashed\b|\bexit(ed)?\b.*\bcode\b|\b(SIG[A-Z]{2,}|OOM)\b|\bsignal \d|\bout of memory\b/.test(line);

/** The service does not say which worker has a job: the logs of at most five are read. */
const busyWorkers = (facts: Facts): readonly Json[] =>
  itemsAt(facts.value('workers'), 'workers')
    .filter((row) => memberAt(row, 'status') === 'RUNNING')
    .slice(0, 5);

const saysNoResult = (line: string): boolean => /\bno result\b|\bresult\b.*\brefused\b/.test(line);

/** A worker that does not report the result of a job that still runs. A line may be about a job that has ended since. */
async function readLostResult(facts: Facts, id: Id<'endpoint'>, row: Json, job?: string): Promise<void> {
  if (facts.lostJob !== '') return;
  const worker = stringAt(row, 'id') ?? '';
  const isWanted = (line: string): boolean => saysNoResult(line) && (job === undefined || line.includes(job));
  await facts.readLine('worker log', workerLog(id, worker, 'system'), isWanted);
  const lost = job ?? /\bjob (\S+?)(?=[,;:.]?(\s|$))/.exec(facts.line('worker log') ?? '')?.[1];
  if (facts.line('worker log') !== undefined && lost !== undefined) {
    if (job === undefined) await facts.read('lost job', statusRequest(id, lost));
    if (job !== undefined || isRunning(facts.value('lost job'))) {
      facts.worker = worker;
      facts.lostJob = lost;
      return;
    }
  }
  facts.forget('worker log');
  facts.forget('lost job');
}
