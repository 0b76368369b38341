/** What an explanation reads: the row first, then only what its state asks for. */
import type { CommandContext } from '../../cli/model/context.ts';
import { ENDPOINTS, PODS } from '../../cli/resource/collections.ts';
import { listRequest, readList } from '../../cli/resource/pages.ts';
import { withId } from '../../cli/resource/targets.ts';
import { type ApiRequest, isListRequest, type ListRequest, readRequest, rowRequest } from '../../core/api.ts';
import { type Failure, isNotFound, rethrowUnlessFailure } from '../../core/failure.ts';
import type { Id } from '../../core/ids.ts';
import { itemsAt, type Json, jsonOrText, memberAt, numberAt, stringAt, stringOf } from '../../core/json.ts';
import { hasEnded } from '../../queue/job.ts';
import { healthRequest, statusRequest } from '../../queue/requests.ts';

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
  isCertainlyThere = false;
  isReachable = true;
  /** The worker that crashed. */
  worker = '';
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

  /** The last line of a log. */
  async readLine(name: string, request: ApiRequest): Promise<void> {
    const query = { ...request.query, tail: 1 };
    await this.#keep(name, request, async () => {
      const events = this.#ctx.api.events({ ...request, query, once: true, idleTimeoutMs: 1000 });
      for await (const { data } of events) return stringAt(jsonOrText(data), 'line') ?? data;
      return null;
    });
  }

  async #keep(name: string, { path, query = {} }: ApiRequest, read: () => Promise<Json>): Promise<void> {
    const given = Object.entries(query).flatMap(([member, value]) =>
      value === undefined ? [] : [`${member}=${String(value)}`],
    );
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
    facts.isCertainlyThere = await isCertainlyThere(id);
    if (!hasEnded(facts.value('job'))) await readQueue(facts, id);
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
  // An endpoint that balances load has no queue.
  if (facts.text('endpoint', 'type') === 'LOAD_BALANCER') facts.all.delete('health');
  const [row, health] = [facts.failure('endpoint'), facts.failure('health')];
  // A public model has only a queue and is not in the account.
  if (row !== undefined && health !== undefined) throw isNotFound(health) ? row : health;
  const crashed = itemsAt(facts.value('workers'), 'workers').find((row) => memberAt(row, 'status') === 'UNHEALTHY');
  if (crashed === undefined) return;
  facts.worker = stringAt(crashed, 'id') ?? '';
  const log = (source: string) =>
    readRequest([...ENDPOINTS.path, id, 'workers', facts.worker, 'logs'], { query: { source } });
  await Promise.all([facts.readLine('how it ended', log('system')), facts.readLine('last log line', log('container'))]);
}
