/** What lies below every command: the recorders of a dry run and of writes, and the one rule for a replica that lags. */
import { accessFailure, accessNeeded } from '../../core/access.ts';
import type { Api, ApiAnswer, ApiRequest, RequestPreview } from '../../core/api.ts';
import type { Context } from '../../core/context.ts';
import { type Failure, isNotFound, unknownOutcome } from '../../core/failure.ts';
import type { RangeFiles, VolumeFiles } from '../../core/file-ports.ts';
import { stringAt } from '../../core/json.ts';
import type { CommandLine, Message } from '../../core/message.ts';
import type { ListRow } from '../../core/remembered.ts';
import { type EpochMs, type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { parseHttpDate } from '../../core/units.ts';
import { DryRun } from './dry-run.ts';

/** How long an id counts as new, and how long a 404 for it is asked again. */
const NEW_MS: Milliseconds = MINUTE_MS;
const PATIENCE_MS: Milliseconds = 10_000;
const PAUSE_MS: Milliseconds = 500;
const MAX_IDS = 100;

/** The remembered list of the ids. */
const LIST = 'new ids';

/** Contract, every DELETE. */
const NO_CONTENT = 204;

/** The success status of their removal is not published (specification 4.2). */
const UNTOLD = 'delegations';

/** Only 204 proves a removal, or a link to a tag: another success is outcome-unknown (8). */
function checkRemoval({ method, expects, service, path, id, checkCommand }: ApiRequest, { status }: ApiAnswer): void {
  const saysNothing = expects === undefined ? method === 'DELETE' : expects === 'nothing';
  const isPublished = service === 'base' && path[0] !== 'local' && path.at(-2) !== UNTOLD;
  if (status !== NO_CONTENT && saysNothing && isPublished)
    throw unknownOutcome(
      `the service answered ${status} to ${method} ${id ?? path.at(-1) ?? ''}, not 204`,
      checkCommand,
      id,
    );
}

export interface RunState {
  resumeCommand: CommandLine | undefined;
  readonly writes: WriteRecord;
  /** Why `access` would refuse what a dry run shows: it ends with this failure. */
  refusal?: Failure | undefined;
  /** The `Date` of the latest answer, and when it came. */
  answered?: { readonly date: EpochMs; readonly at: Milliseconds };
}

interface Below {
  readonly dryRun: boolean;
  readonly state: RunState;
  readonly tell: (line: Message) => Promise<void>;
}

type Lists = Pick<Context, 'clock' | 'lists' | 'signal'>;

/** The ids that this machine created within the last minute. */
async function newRows({ clock, lists }: Lists): Promise<readonly ListRow[]> {
  // oxlint-disable-next-line berth/no-wall-clock -- a date: another process wrote it
  const isNew = (text: string): boolean => clock.now() - Date.parse(text) < NEW_MS;
  return ((await lists.read(LIST))?.rows ?? []).filter(({ description }) => isNew(description));
}

/** Asks again for ten seconds after a 404 for an id that is new. */
export async function sendPatiently(api: Api, request: ApiRequest, context: Lists): Promise<ApiAnswer> {
  const { clock, lists, signal } = context;
  const { id, expects, method } = request;
  let answer: ApiAnswer | undefined;
  for (let until: number | undefined; answer === undefined;)
    try {
      answer = await api.send(request);
    } catch (error) {
      if (!isNotFound(error) || id === undefined) throw error;
      until ??= (await newRows(context)).some(({ value }) => value === id) ? clock.monotonic() + PATIENCE_MS : 0;
      if (clock.monotonic() >= until) throw error;
      await clock.sleep(PAUSE_MS, signal);
    }
  const created = expects === 'created' ? stringAt(answer.value, 'id') : undefined;
  if (created === undefined && method !== 'DELETE') return answer;
  const before = await newRows(context);
  const others = before.filter(({ value }) => value !== id);
  // oxlint-disable-next-line berth/no-wall-clock -- a date: another process reads it
  const now = new Date(clock.now()).toISOString();
  const added = created === undefined ? [] : [{ value: created, name: '', description: now }];
  if (added.length > 0 || others.length < before.length)
    await lists.write(LIST, [...added, ...others].slice(0, MAX_IDS));
  return answer;
}

/**
 * What commands send with. A write of a dry run throws DryRun with all writes so far: that ends the work on its target alone; who
 * acts on several catches it and goes on. What `then` of a request says follows as `then: ...`.
 */
export function commandApi(context: Context, { dryRun, state, tell }: Below): Api {
  const recorded: RequestPreview[] = [];
  return {
    events: async function* (request) {
      yield* (await context.openApi()).events(request);
    },
    preview: async (request) => (await context.openApi()).preview(request),
    send: async (request) => {
      const api = await context.openApi();
      const { method, isRecorded = method !== 'GET', then } = request;
      if (dryRun && isRecorded) {
        state.refusal ??= accessFailure(accessNeeded(request), context.settings);
        recorded.push(await api.preview(request));
        if (then !== undefined) await tell(`then: ${then}`);
        throw new DryRun([...recorded]);
      }
      const answer = await sendPatiently(api, request, context);
      const date = parseHttpDate(answer.headers['date'] ?? '');
      if (date !== undefined) state.answered = { date, at: context.clock.monotonic() };
      if (dryRun || method === 'GET') return answer;
      checkRemoval(request, answer);
      state.writes.hasWritten = true;
      const id = stringAt(answer.value ?? null, 'id') ?? request.id;
      if (id !== undefined) state.writes.ids.add(id);
      return answer;
    },
  };
}

/** What a dry run may do to files on a volume: a write throws DryRun, which ends the work on that file alone. */
export const recordingVolume = (files: VolumeFiles): VolumeFiles => ({
  ...files,
  write: record,
  writeStream: record,
  copy: record,
  remove: record,
});

/** The same for files of this machine. */
export const recordingFiles = (files: RangeFiles): RangeFiles => ({
  ...files,
  create: record,
  open: record,
  openRanges: record,
  replace: record,
  remove: record,
  makeFolder: record,
  setTime: record,
  removeEmptyFolder: record,
});

/** A write of a dry run. */
export const record = (): Promise<never> => Promise.reject(new DryRun([]));

export interface WriteRecord {
  readonly ids: Set<string>;
  /** A request other than GET succeeded. */
  hasWritten: boolean;
}
