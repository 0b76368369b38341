import { isNotFound } from '../core/failure.ts';
import { type Json, numberAt } from '../core/json.ts';
import { readRequest, type RateWindow } from '../core/api.ts';
import { formatDuration } from '../core/units.ts';
import type { EpochMs } from '../core/unit-types.ts';
import { defineCommand } from '../cli/model/command.ts';
import type { CommandContext } from '../cli/model/context.ts';
import { text } from '../output/cells.ts';
import type { View } from '../output/view.ts';
import { textColumn } from '../cli/resource/fields.ts';
import { manyOf, NUMBER, ownObject, TEXT } from '../cli/model/output-schema.ts';

const limitsView: View = {
  noun: ['rate window', 'rate windows'],
  id: (row) => text(row, 'window'),
  members: ['window', 'remaining', 'quota', 'resetSeconds', 'windowSeconds', 'seenSecondsAgo'],
  columns: [
    textColumn('window'),
    textColumn('remaining', { right: true }),
    textColumn('quota', { right: true }),
    { header: 'RESETS IN', show: (row) => seconds(row, 'resetSeconds'), right: true },
    { header: 'SEEN', show: (row) => seconds(row, 'seenSecondsAgo'), right: true },
  ],
};

const seconds = (row: Json, member: string): string | undefined => {
  const value = numberAt(row, member);
  return value === undefined ? undefined : formatDuration(value * 1000);
};

export const limits = defineCommand({
  output: () =>
    manyOf(
      ownObject(
        { window: TEXT, seenSecondsAgo: NUMBER },
        { remaining: NUMBER, quota: NUMBER, resetSeconds: NUMBER, windowSeconds: NUMBER },
      ),
    ),
  summary: 'show what is left of each rate window, from the last answers',
  examples: [['berth limits', 'each window, and when it is full again']],
  details:
    'Shows what the last answers said, by address and key. It sends a request only if there was no answer yet. A window that has ended since is shown as full.',
  run: async (ctx) => {
    const windows = await windowsOf(ctx);
    // oxlint-disable-next-line berth/no-wall-clock -- a date: other processes may have recorded the windows
    const now = ctx.clock.now();
    const notes = windows.length === 0 ? ['The service tells no limits.'] : [];
    return { kind: 'many', view: limitsView, values: windows.map((window) => asRow(window, now)), notes };
  },
});

/** From earlier answers, else a cheap read; refusals have them too, and a 404 may have none. */
async function windowsOf(ctx: CommandContext): Promise<readonly RateWindow[]> {
  const known = await ctx.limits.read();
  if (known.length > 0) return known;
  try {
    await ctx.api.send(readRequest(['v2', 'registries', 'delegations']));
  } catch (error) {
    if (!isNotFound(error) && (await ctx.limits.read()).length === 0) throw error;
  }
  return await ctx.limits.read();
}

/** Reset time reduced by the window's age; a window that has reset since has its full quota. */
function asRow(window: RateWindow, now: EpochMs): Json {
  const age = Math.max(0, Math.floor((now - window.seenAt) / 1000));
  const reset = window.resetSeconds === undefined ? undefined : Math.max(0, window.resetSeconds - age);
  const remaining = reset === 0 && age > 0 ? (window.quota ?? window.remaining) : window.remaining;
  return {
    window: window.name,
    remaining,
    quota: window.quota,
    resetSeconds: reset,
    windowSeconds: window.windowSeconds,
    seenSecondsAgo: age,
  };
}
