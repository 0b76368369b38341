import { lineText, type LogQuery, logRequest, rowOf, SeenEvents } from '../../cli/logs.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { ENDPOINTS, PODS } from '../../cli/resource/collections.ts';
import { listWorkers } from '../endpoints/workers.ts';
import type { Row } from './rows.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { stringAt } from '../../core/json.ts';

export interface LogPage {
  readonly lines: readonly string[];
  close(): void;
}

const MAX_LINES = 500;
/** Reconnects after silence: a page that was left ends then. */
const IDLE_MS = 3000;
const PAUSE_MS = 1000;

/** For an endpoint, its first worker's log. */
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
