import type { CommandContext } from '../../cli/model/context.ts';
import { readList } from '../../cli/resource/pages.ts';
import { type ApiRequest, isListRequest, type ListRequest } from '../../core/api.ts';
import { type Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import { type Json, jsonOrText, numberAt, stringAt } from '../../core/json.ts';
import type { RememberedJob } from '../../core/remembered.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';

export interface Evidence {
  readonly fact: string;
  readonly value: string;
  readonly source: string;
}

interface Fact {
  readonly source: string;
  readonly value?: Json;
  readonly failure?: Failure;
}

const LOG_IDLE_MS: Milliseconds = 1000;

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
  readonly #ctx: CommandContext;
  readonly #facts = new Map<string, Fact>();

  constructor(ctx: CommandContext, about: Readonly<Record<string, string>>) {
    this.#ctx = ctx;
    this.about = about;
  }

  /** By the service, as of its last answer. */
  get now(): EpochMs {
    return this.#ctx.serviceNow();
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

  async #keep(name: string, request: ApiRequest, read: () => Promise<Json>): Promise<void> {
    const source = sourceOf(request);
    try {
      this.#facts.set(name, { source, value: await read() });
    } catch (error) {
      rethrowUnlessFailure(error, this.#ctx);
      this.#facts.set(name, { source, failure: error });
    }
  }

  /** What it says is no cause. */
  forget(name: string): void {
    this.#facts.delete(name);
  }

  value(name: string): Json | undefined {
    return this.#facts.get(name)?.value;
  }

  /** A line of a log. */
  line(name: string): string | undefined {
    const value = this.value(name);
    return typeof value === 'string' ? value : undefined;
  }

  text(name: string, path: string): string {
    return stringAt(this.value(name), path) ?? '';
  }

  number(name: string, path: string): number | undefined {
    return numberAt(this.value(name), path);
  }

  failure(name: string): Failure | undefined {
    return this.#facts.get(name)?.failure;
  }

  hasStatus(name: string, status: number): boolean {
    return this.failure(name)?.status === status;
  }

  sourceOf(name: string): string {
    return this.#facts.get(name)?.source ?? '';
  }

  failures(): readonly Failure[] {
    return [...this.#facts.values()].flatMap(({ failure }) => failure ?? []);
  }

  /** Nothing where it was not read, or says nothing. */
  evidence(fact: string, name: string, show: (value: Json) => string | undefined): readonly Evidence[] {
    const found = this.#facts.get(name);
    const value = found?.value === undefined ? undefined : show(found.value);
    return found === undefined || value === undefined || value === '' ? [] : [{ fact, value, source: found.source }];
  }

  unread(): readonly Evidence[] {
    return [...this.#facts.values()].flatMap(({ failure, source }) =>
      failure === undefined ? [] : [{ fact: 'not read', value: failure.message, source }],
    );
  }
}

function sourceOf({ method, path, query = {} }: ApiRequest): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${String(value)}`],
  );
  return `${method} /${path.join('/')}${given.length === 0 ? '' : `?${given.join('&')}`}`;
}
