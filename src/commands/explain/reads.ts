/** What an explanation reads: the row first, then only what its state asks for. */
import type { CommandContext } from '../../cli/model/context.ts';
import { ENDPOINTS, PODS } from '../../cli/resource/collections.ts';
import { listRequest, readList, rowRequest } from '../../cli/resource/pages.ts';
import { withId } from '../../cli/resource/targets.ts';
import { type ApiRequest, isListRequest, type ListRequest, readRequest } from '../../core/api.ts';
import { type Failure, isNotFound, rethrowUnlessFailure } from '../../core/failure.ts';
import type { Id } from '../../core/ids.ts';
import { itemsAt, type Json, jsonOrText, memberAt, numberAt, stringAt, stringOf } from '../../core/json.ts';
import type { RememberedJob } from '../../core/remembered.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { hasEnded, isRunning } from '../../queue/job.ts';
import { healthRequest, statusRequest } from '../../queue/requests.ts';

const LOG_IDLE_MS: Milliseconds = 1000;

interface Fact {
  /** The request. */
  readonly source: string;
  readonly value?: Json;
  readonly failure?: Failure;
}

/** The answers that an explanation is made of. Each request is sent once and may fail by itself: a refusal is an answer too. */
export class Facts {
  /** What is explained: `{ endpoint, job }`, as it is printed. */
  readonly about: Readonly<Record<string, string>>;
  /** The job as this machine submitted it. */
  submitted: RememberedJob | undefined;
  isCertainlyThere = false;
  isReachable = true;
  /** The worker whose log names the cause. */
  worker = '';
  /** The job that its worker does not report. */
  lostJob = '';
  /** In the order of their requests. */
  readonly all = new Map<string, Fact>();
  readonly #ctx: CommandContext;

  constructor(ctx: CommandContext, about: Readonly<Record<string, string>>) {
    this.#ctx = ctx;
    this.about = about;
  }

  /** Fails only when interrupted. */
  async read(name: string, request: ApiRequest | ListRequest): Promise<void> {
    const { api } = this.#ctx;
    await this.#keep(name, request, async () =>
      isListRequest(request)
        ? (await readList(api, { ...request, once: true })).document
        : ((await api.send({ ...request, once: true })).value ?? null),
    );
  }

  /** The last line of a log, of those wanted among the latest 100. */
  async readLine(name: string, request: ApiRequest, isWanted?: (line: string) => boolean): Promise<void> {
    const query = { ...request.query, ...(isWanted === undefined ? { tail: 1 } : {}) };
    await this.#keep(name, request, async () => {
      let last: string | null = null;
      const events = this.#ctx.api.events({ ...request, query, once: true, idleTimeoutMs: LOG_IDLE_MS });
      for await (const { data } of events) {
        const line = stringAt(jsonOrText(data), 'line') ?? data;
        if (isWanted?.(line) !== false) last = line;
        if (isWanted === undefined) break;
      }
      return last;
    });
  }

  async #keep(name: string, { path, query = {} }: ApiRequest, read: () => Promise<Json>): Promise<void> {
    const given = Object.entries(query).map(([member, value]) => `${member}=${String(value)}`);
    const source = `GET /${path.join('/')}${given.length === 0 ? '' : `?${given.join('&')}`}`;
    this.all.set(name, { source });
    try {
      this.all.set(name, { source, value: await read() });
    } catch (error) {
      rethrowUnlessFailure(error, this.#ctx);
      this.all.set(name, { source, failure: error });
    }
  }

  value(name: string): Json | undefined {
    return this.all.get(name)?.value;
  }

  /** A line of a log. */
  line(name: string): string | undefined {
    return stringOf(this.value(name));
  }

  text(name: string, path: string): string {
    return stringAt(this.value(name), path) ?? '';
  }

  number(name: string, path: string): number | undefined {
    return numberAt(this.value(name), path);
  }

  failure(name: string): Failure | undefined {
    return this.all.get(name)?.failure;
  }
}

/** Fails with not-found (4), as the two below do. */
export async function readPod(ctx: CommandContext, word: string, isReachable: (pod: Json) => boolean): Promise<Facts> {
  return await withId(ctx, PODS, word, async (id) => {
    const facts = new Facts(ctx, { pod: id });
    await facts.read('pod', rowRequest(PODS, id));
    const failure = facts.failure('pod');
    if (failure !== undefined) throw failure;
    facts.isReachable = isReachable(facts.value('pod') ?? null);
    const status = facts.text('pod', 'status');
    const log = (source: string) => readRequest([...PODS.path, id, 'logs'], { query: { source } });
    if (['PROVISIONING', 'STARTING', 'ERROR'].includes(status)) await facts.readLine('last system line', log('system'));
    if (status === 'ERROR') await facts.readLine('last container line', log('container'));
    return facts;
  });
}

export async function readEndpoint(ctx: CommandContext, word: string): Promise<Facts> {
  return await withId(ctx, ENDPOINTS, word, async (id) => {
    const facts = new Facts(ctx, { endpoint: id });
    await readQueue(facts, id);
    if (facts.number('health', 'jobs.inProgress') !== 0) await readLostResult(facts, id);
    return facts;
  });
}

/** Of a job that has ended only its status is read. */
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
    if (isRunning(facts.value('job'))) await readLostResult(facts, id, job);
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
  // Older services have no such list; an endpoint that balances load has no queue.
  if (isNotFound(facts.failure('builds'))) facts.all.delete('builds');
  if (facts.text('endpoint', 'type') === 'LOAD_BALANCER') facts.all.delete('health');
  const [row, health] = [facts.failure('endpoint'), facts.failure('health')];
  // A public model has only a queue and is not in the account.
  if (row !== undefined && health !== undefined) throw isNotFound(health) ? row : health;
  const [crashed] = workersThatAre(facts, 'UNHEALTHY');
  if (crashed === undefined) return;
  facts.worker = crashed;
  await Promise.all([
    facts.readLine('how it ended', workerLog(id, crashed, 'system'), saysHowItEnded),
    facts.readLine('last log line', workerLog(id, crashed, 'container')),
  ]);
}

const workersThatAre = (facts: Facts, status: string): readonly string[] =>
  itemsAt(facts.value('workers'), 'workers')
    .filter((row) => memberAt(row, 'status') === status)
    .map((row) => stringAt(row, 'id') ?? '');

const workerLog = (id: Id<'endpoint'>, worker: string, source: string) =>
  readRequest([...ENDPOINTS.path, id, 'workers', worker, 'logs'], { query: { source } });

const saysHowItEnded = (line: string): boolean =>
  /\bcrashed\b|\bexit(ed)?\b.*\bcode\b|\b(SIG[A-Z]{2,}|OOM)\b|\bsignal \d|\bout of memory\b/.test(line);

/** The service does not say which worker has a job: at most so many logs are read. */
const MAX_LOGS = 5;

const saysNoResult = (line: string): boolean => /\bno result\b|\bresult\b.*\brefused\b/.test(line);

/** A worker that does not report the result of a job that still runs. A line may be about a job that has ended since. */
async function readLostResult(facts: Facts, id: Id<'endpoint'>, job?: string): Promise<void> {
  for (const worker of workersThatAre(facts, 'RUNNING').slice(0, MAX_LOGS)) {
    const isWanted = (line: string): boolean => saysNoResult(line) && (job === undefined || line.includes(job));
    await facts.readLine('worker log', workerLog(id, worker, 'system'), isWanted);
    const line = facts.line('worker log');
    const lost = job ?? /\bjob (\S+?)(?=[,;:.]?(\s|$))/.exec(line ?? '')?.[1];
    if (line !== undefined && lost !== undefined) {
      if (job === undefined) await facts.read('lost job', statusRequest(id, lost));
      if (job !== undefined || isRunning(facts.value('lost job'))) {
        facts.worker = worker;
        facts.lostJob = lost;
        return;
      }
    }
    facts.all.delete('worker log');
    facts.all.delete('lost job');
  }
}
