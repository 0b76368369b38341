import type { Json } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { MIN_INTERVAL_MS, nextInterval } from '../../../cli/run/pace.ts';
import { fleetAfter, EMPTY_FLEET, type Fleet } from '../model/fleet.ts';
import { readTick, type Tick } from './read-tick.ts';
import { COSTS_EVERY_MS, dueReads, HEALTH_PER_TICK, type Due, type Shown } from '../model/schedule.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';

/** What was read, and how reading goes on. */
export interface Session {
  readonly fleet: Fleet;
  /** Between two ticks. */
  readonly intervalMs: Milliseconds;
  /** The interval is longer than asked for: more readings would use up a rate window. */
  readonly isPaced: boolean;
  /** Why requests of the last tick failed. */
  readonly failures: Tick['failures'];
}

export const FIRST_SESSION: Session = { fleet: EMPTY_FLEET, intervalMs: 0, isPaced: false, failures: [] };

const NOTHING_DUE: Due = { pods: false, endpoints: false, spent: false, otherCosts: false, health: [] };

const rowsOf = ({ endpoints }: Fleet): readonly Json[] => endpoints?.value ?? [];

/**
 * Reads what is due and returns the session after it. The interval leaves half of what is left of each rate window to
 * other commands. Fails as a request does as long as nothing was ever read.
 */
export async function nextTick(
  ctx: CommandContext,
  session: Session,
  shown: Shown,
  wantedMs: Milliseconds,
): Promise<Session> {
  const due = dueReads(session.fleet, shown, ctx.clock.monotonic());
  const tick = await readTick(ctx, due, shown, rowsOf(session.fleet));
  let fleet = tick.reads.reduce(fleetAfter, session.fleet);
  if (session.fleet.endpoints === undefined && fleet.endpoints !== undefined) {
    // The first tick learns only now which endpoints there are.
    const { health, otherCosts } = dueReads(fleet, shown, ctx.clock.monotonic());
    const more = await readTick(ctx, { ...NOTHING_DUE, health, otherCosts }, shown, rowsOf(fleet));
    fleet = more.reads.reduce(fleetAfter, fleet);
  }
  const [failed] = tick.failures;
  if (failed !== undefined && fleet.pods === undefined && fleet.endpoints === undefined) throw failed.failure;
  const queues = dueReads(fleet, shown, Infinity).health.length;
  // The workers of each endpoint are asked for once a minute.
  const workers = shown.endpoints ? Math.ceil((rowsOf(fleet).length * wantedMs) / COSTS_EVERY_MS) : 0;
  const requests = (shown.pods ? fleet.podPages : 0) + Math.min(queues, HEALTH_PER_TICK) + workers;
  const intervalMs = await nextInterval(ctx, Math.max(1, requests), wantedMs);
  return { fleet, intervalMs, isPaced: intervalMs > Math.max(wantedMs, MIN_INTERVAL_MS), failures: tick.failures };
}

/** Reads everything once: the lists, then the health of every endpoint, eight at a time. Fails as any request does. */
export async function readAll(ctx: CommandContext, shown: Shown): Promise<Fleet> {
  const read = async (fleet: Fleet, due: Due): Promise<Fleet> => {
    const { reads, failures } = await readTick(ctx, due, shown, rowsOf(fleet));
    const [failed] = failures.filter(({ what }) => what === 'pods' || what === 'endpoints');
    if (failed !== undefined) throw failed.failure;
    return reads.reduce(fleetAfter, fleet);
  };
  let fleet = await read(EMPTY_FLEET, dueReads(EMPTY_FLEET, shown, 0));
  const started = ctx.clock.monotonic();
  const asked = new Set<string>();
  for (;;) {
    const due = dueReads(fleet, shown, started);
    const health = due.health.filter((id) => !asked.has(id));
    const otherCosts = due.otherCosts && fleet.otherCosts === undefined;
    if (health.length === 0 && !otherCosts) return fleet;
    for (const id of health) asked.add(id);
    fleet = await read(fleet, { ...NOTHING_DUE, health, otherCosts });
  }
}
