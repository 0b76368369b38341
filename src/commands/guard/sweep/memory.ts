/** What guards of this machine keep between sweeps: samples, snoozes, what they did, and when they last looked. */
import { HOUR_MS } from '../../../core/durations.ts';
import {
  isObject,
  itemsAt,
  memberAt,
  numberAt,
  objectAt,
  numberOf,
  type Json,
  stringAt,
  type JsonObject,
} from '../../../core/json.ts';
import type { PlainObject } from '../../../core/ports/remembered.ts';
import { berth, sentence, type CommandLine, type Message } from '../../../core/message.ts';
import { formatDuration } from '../../../core/units.ts';
import type { EpochMs, Milliseconds } from '../../../core/unit-types.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { Snoozes } from '../../../guard/decide/decide.ts';
import { JOB_SAMPLES, type EndpointTracks } from '../../../guard/samples/job-samples.ts';
import { decodeTracks, encodeTracks } from '../../../guard/samples/tracks.ts';
import { USE_SAMPLES, type PodTracks } from '../../../guard/samples/use-samples.ts';

/** What is kept, as it was read. Times are the service's. */
export interface Memory {
  readonly pods: PodTracks;
  readonly endpoints: EndpointTracks;
  readonly snoozes: Snoozes;
  /** When a guard of this machine last looked; undefined where none did. */
  readonly sweptAt: EpochMs | undefined;
  /** How much the service's clock was ahead of this machine's then. */
  readonly driftMs: Milliseconds | undefined;
  /** What was done and reported, the oldest first. */
  readonly history: readonly Json[];
}

/** The most rows of the history; the oldest are dropped. */
const MAX_HISTORY = 1000;

const decode = (kept: PlainObject): Memory => decodeJsonObject(isObject(kept) ? kept : {});

const decodeJsonObject = (document: JsonObject): Memory => ({
  pods: decodeTracks(memberAt(document, 'pods'), USE_SAMPLES),
  endpoints: decodeTracks(memberAt(document, 'endpoints'), JOB_SAMPLES),
  snoozes: new Map(
    Object.entries(objectAt(document, 'snoozes') ?? {}).flatMap(([id, value]): [string, number][] => {
      const until = numberOf(value);
      return until === undefined ? [] : [[id, until]];
    }),
  ),
  sweptAt: numberAt(document, 'sweptAt'),
  driftMs: numberAt(document, 'driftMs'),
  history: itemsAt(document, 'history'),
});

const encode = ({ pods, endpoints, snoozes, sweptAt, driftMs, history }: Memory): JsonObject => ({
  pods: encodeTracks(pods, USE_SAMPLES),
  endpoints: encodeTracks(endpoints, JOB_SAMPLES),
  snoozes: Object.fromEntries(snoozes),
  ...(sweptAt === undefined ? {} : { sweptAt }),
  ...(driftMs === undefined ? {} : { driftMs }),
  history: history.slice(-MAX_HISTORY),
});

export const readMemory = async ({ guard }: CommandContext): Promise<Memory> => decode(await guard.read());

/**
 * Changes what is kept, from what is kept now: another guard of this machine may have written it since it was read. Fails
 * as the file system does.
 */
export const changeMemory = ({ guard }: CommandContext, change: (before: Memory) => Partial<Memory>): Promise<void> =>
  guard.update((document) => {
    const before = decode(document);
    return encode({ ...before, ...change(before) });
  });

/** What rows have in common that say the same of one start of a pod, or of an endpoint or a volume. */
const SAME = ['kind', 'id', 'rule', 'startedAt', 'action', 'held', 'result'];

/** Whether a row says something that `known` rows do not. What was done is always new. */
export const isNews = (row: Json, known: readonly Json[]): boolean =>
  ['stopped', 'terminated', 'scaled to zero'].includes(stringAt(row, 'result') ?? '') ||
  !known.some((other) => SAME.every((member) => memberAt(row, member) === memberAt(other, member)));

/** What was said is said again after a day: a mail of cron may have been overlooked, and the cost goes on. */
const SAID_FOR: Milliseconds = 24 * HOUR_MS;

/** The rows that say what no run of the last day said. `now` is the service's time. */
export function newsOf(rows: readonly Json[], history: readonly Json[], now: EpochMs): readonly Json[] {
  const known = history.filter((row) => now - Date.parse(stringAt(row, 'at') ?? '') < SAID_FOR);
  return rows.filter((row) => isNews(row, known));
}

/** The guard that stays; without --allow-terminate it only reports a deadline that `terminates`. */
export const guardCommand = (terminates: boolean): CommandLine =>
  terminates ? berth`guard run --every 1m --allow-terminate` : berth`guard run --every 1m`;

/** `A guard of this machine last ran 5m ago.` Where a deadline `terminates`, also the command that does. */
export function lastRunLine(sweptAt: EpochMs | undefined, now: EpochMs, terminates: boolean): Message {
  const command = guardCommand(terminates);
  if (sweptAt === undefined) return sentence`No guard has run on this machine: ${command}`;
  const ran = sentence`A guard of this machine last ran ${formatDuration(Math.max(0, now - sweptAt))} ago.`;
  return terminates ? sentence`${ran} One that terminates: ${command}` : ran;
}
