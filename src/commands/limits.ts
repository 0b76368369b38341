import { isNotFound } from '../core/failure.ts';
import { type Json, numberAt } from '../core/json.ts';
import { readRequest } from '../core/api.ts';
import { formatDuration } from '../core/units.ts';
import { defineCommand } from '../cli/model/command.ts';
import { text } from '../output/cells.ts';
import type { View } from '../output/view.ts';
import { textColumn } from '../cli/resource/fields.ts';
import { manyOf, NUMBER, ownObject, TEXT } from '../cli/model/output-schema.ts';

const limitsView: View = {
  noun: ['rate window', 'rate windows'],
  id: (row) => text(row, 'window'),
  members: ['window', 'remaining', 'quota', 'resetSeconds', 'windowSeconds'],
  columns: [
    textColumn('window'),
    textColumn('remaining', { right: true }),
    textColumn('quota', { right: true }),
    { header: 'RESETS IN', show: resetsIn, right: true },
  ],
};

function resetsIn(row: Json): string | undefined {
  const seconds = numberAt(row, 'resetSeconds');
  return seconds === undefined ? undefined : formatDuration(seconds * 1000);
}

export const limits = defineCommand({
  output: () =>
    manyOf(
      ownObject({ window: TEXT }, { remaining: NUMBER, quota: NUMBER, resetSeconds: NUMBER, windowSeconds: NUMBER }),
    ),
  summary: 'show what is left of each rate window',
  examples: [['berth limits', 'each window, and when it is full again']],
  details: 'Sends one small request: each answer of the service tells them.',
  run: async (ctx) => {
    const request = readRequest(['v2', 'registries', 'delegations']);
    // A refusal tells them too, so a 429 is not waited out; a 404 may not.
    await ctx.api.send({ ...request, once: true }).catch(async (error: unknown) => {
      if (!isNotFound(error) && (await ctx.limits.read()).length === 0) await ctx.api.send(request);
    });
    const values = (await ctx.limits.read()).map(({ name, ...rest }) => ({ window: name, ...rest }));
    return {
      kind: 'many',
      view: limitsView,
      values,
      notes: values.length === 0 ? ['The service tells no limits.'] : [],
    };
  },
});
