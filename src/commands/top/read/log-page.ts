import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { stringAt } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { ENDPOINTS, PODS } from '../../shared/collections.ts';
import { listWorkers } from '../../endpoints/workers.ts';
import { logRequest, type LogQuery } from '../../shared/logs/follow.ts';
import { lineText, rowOf } from '../../shared/logs/line.ts';
import { SeenEvents } from '../../shared/logs/seen-events.ts';
import type { Row } from '../model/rows.ts';

/** The log of one row, read in the background until it is closed. */
export interface LogPage {
  readonly lines: readonly string[];
  close(): void;
}

/** The last lines that are kept and asked for. */
const MAX_LINES = 500;
/** Without a line for this time the connection is closed and the log asked for again: a page that was left ends then. */
const IDLE_MS = 3000;
const PAUSE_MS = 1000;

/** Opens the log of a pod, or of the first worker of an endpoint. `onLine` is called when there is more to show. */
export function openLogPage(ctx: CommandContext, row: Row, onLine: () => void): LogPage {
  const state = { lines: [] as string[], closed: false };
  const add = (line: string): void => {
    if (state.lines.at(-1) !== line) state.lines = [...state.lines, line].slice(-MAX_LINES);
    if (!state.closed) onLine();
  };
  void follow(ctx, row, add, () => state.closed || ctx.signal.aborted).catch((error: unknown) => {
    if (!ctx.signal.aborted) add(error instanceof Failure ? error.message : String(error));
  });
  return {
    get lines() {
      return state.lines;
    },
    close: () => {
      state.closed = true;
    },
  };
}

async function follow(
  ctx: CommandContext,
  row: Row,
  add: (line: string) => void,
  isClosed: () => boolean,
): Promise<void> {
  const path = row.kind === 'pod' ? [...PODS.path, row.id, 'logs'] : await workerPath(ctx, row.id, add);
  if (path === undefined) return;
  const seen = new SeenEvents();
  while (!isClosed()) {
    const query: LogQuery = { source: undefined, tail: MAX_LINES, since: undefined, after: seen.cursor };
    try {
      const request = logRequest({ path, id: row.id, live: () => Promise.resolve(true) }, query);
      for await (const event of ctx.api.events({ ...request, idleTimeoutMs: IDLE_MS })) {
        if (isClosed()) return;
        if (seen.isNew(event)) add(lineText(rowOf(event), 'utc', ctx.serviceNow()));
      }
    } catch (error) {
      if (!(error instanceof Failure) || error.exit !== EXIT.unavailable) throw error;
      add(error.message);
    }
    seen.reconnect();
    await ctx.clock.sleep(PAUSE_MS, ctx.signal);
  }
}

/** The path of the log of an endpoint's first worker; undefined where it has none. */
async function workerPath(
  ctx: CommandContext,
  endpoint: string,
  add: (line: string) => void,
): Promise<readonly string[] | undefined> {
  const { workers } = await listWorkers(ctx, endpoint);
  const ids = workers.flatMap((worker) => stringAt(worker, 'id') ?? []);
  const [first, ...others] = ids;
  if (first === undefined) {
    add('this endpoint has no worker now');
    return undefined;
  }
  add(`worker ${first}${others.length === 0 ? '' : ` (of ${ids.length})`}`);
  return [...ENDPOINTS.path, endpoint, 'workers', first, 'logs'];
}
