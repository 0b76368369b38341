/** Faults of the local service. */
import { manyOf } from '../../cli/model/output-schema.ts';
import { defineCommand, defineGroup } from '../../cli/model/command.ts';
import { arg, option } from '../../cli/model/params.ts';
import { changeResult, memberHeader } from '../../cli/resource/fields.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';
import { FAULT_KINDS, FAULT_SETTINGS } from '../../core/fault-kinds.ts';
import { itemsAt } from '../../core/json.ts';
import { text } from '../../output/cells.ts';
import { answerResult, type View } from '../../output/view.ts';
import { CLEARED, changed, FAULT, sendControl, valueOf } from './control.ts';

const FAULT_MEMBERS = [
  ...['id', 'kind', 'count', 'probability', 'match', 'endpoint', 'detail'],
  ...Object.keys(FAULT_SETTINGS),
];

const faultView: View = {
  noun: ['fault', 'faults'],
  id: (row) => text(row, 'id'),
  members: FAULT_MEMBERS,
  columns: FAULT_MEMBERS.map((name) => ({
    header: memberHeader(name.replace(/Ms$/, '')),
    show: (row) => valueOf(row, name),
  })),
};

const { status } = FAULT_SETTINGS;

export const fault = defineGroup('inject faults: 429, 5xx, latency, dropped connections', {
  add: defineCommand({
    output: () => FAULT,
    summary: 'make the next requests fail',
    changesMachine: true,
    details: 'docs/guides/local-service.md describes each kind.',
    args: { kind: arg.text('what happens', { choices: FAULT_KINDS }) },
    options: {
      count: option.count('how many requests it affects (default: all until cleared)', 1),
      probability: option.fraction('how likely it affects a request: above 0, up to 1', { metavar: 'P' }),
      match: option.text('only these: a method, the beginning of a path, or both', { metavar: 'METHOD/PATH' }),
      endpoint: option.text('only requests to this endpoint, and only its workers', {
        metavar: 'ENDPOINT',
        complete: ENDPOINTS,
      }),
      detail: option.text('the text that a refuse answers (default: there is no room)', { metavar: 'TEXT' }),
      status: option.count(status.help, status.minimum, { most: status.maximum }),
      latency: option.duration(FAULT_SETTINGS.latencyMs.help, 's'),
      retryAfter: option.duration(FAULT_SETTINGS.retryAfter.help, 's'),
    },
    examples: [
      [
        `berth local fault add rate-limit --count 3 --match 'POST /v2/demo/run'`,
        'the next three submissions to demo are told to wait',
      ],
      ['berth local fault add worker-crash --count 1', 'a worker of yours dies in the middle of a job'],
    ],
    run: async (ctx, { latency: latencyMs, retryAfter: retryMs, ...rest }) => {
      const retryAfter = retryMs === undefined ? undefined : Math.ceil(retryMs / 1000);
      const body = { ...rest, latencyMs, retryAfter };
      return changed(ctx, answerResult(faultView, await sendControl(ctx, 'POST', ['fault'], { body })));
    },
  }),
  list: defineCommand({
    output: () => manyOf(FAULT),
    summary: 'list the faults that are set',
    examples: [['berth local fault list', 'with what is left of each']],
    run: async (ctx) => {
      const { value } = await sendControl(ctx, 'GET', ['fault'], { expects: { list: 'faults' } });
      return { kind: 'many', view: faultView, values: itemsAt(value, 'faults') };
    },
  }),
  clear: defineCommand({
    output: () => CLEARED,
    summary: 'remove one fault, or all of them',
    changesMachine: true,
    examples: [['berth local fault clear', 'all of them']],
    args: { id: arg.optional('fault id') },
    run: async (ctx, { id }) => {
      await sendControl(ctx, 'DELETE', id === undefined ? ['fault'] : ['fault', id]);
      return changed(ctx, changeResult(ctx, { cleared: id ?? 'all' }, []));
    },
  }),
});
