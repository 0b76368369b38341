import { readListOf } from '../../cli/resource/targets.ts';
import { encodeJson, itemsAt, type Json, memberAt, numberAt, stringAt, stringOf } from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import { defineCommand, waitOptions } from '../../cli/model/command.ts';
import { cutNotes, limitOption } from '../../cli/resource/noun.ts';
import type { Wait } from '../../cli/resource/noun-writes.ts';
import { type End, type Goal, until } from '../../cli/until.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { readRequest } from '../../core/api.ts';
import { age, percent, text } from '../../output/cells.ts';
import { answerResult, type Facts, type Result, type Section, type View } from '../../output/view.ts';
import { endpointArgument } from '../../cli/resource/arguments.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';
import { otherMembers } from '../../cli/resource/fields.ts';
import { contractSchema } from '../../cli/model/output-schema.ts';

/** Done at once if the service gives no percentage. */
const rolledOutAll = (seen: Json): boolean => {
  const share = numberAt(seen, 'rollout.percentOnLatest');
  return share === undefined || share >= 100 || memberAt(seen, 'rollout.workersTotal') === 0;
};
const describe = (seen: Json): string => `${text(seen, 'rollout.percentOnLatest')}% of workers`;

export const ROLLED_OUT: Goal = {
  noun: 'endpoint',
  name: 'rolled out',
  done: rolledOutAll,
  describe,
  resume: ([id = '']) => berth`endpoints releases ${id} --wait`,
};

/** Ends with wait-ended (9), if the newest release is not on every worker in time. */
export async function waitForRollout(ctx: CommandContext, id: string, timeoutMs: number): Promise<End> {
  const read = () => ctx.api.send(readRequest([...ENDPOINTS.path, id, 'releases'], { id }));
  const [end = { id }] = await until(ctx, [{ id, read }], ROLLED_OUT, timeoutMs);
  return end;
}

export const ROLLOUT: Wait = {
  summary: 'wait until its workers run the release',
  end: async (ctx, result, id, timeoutMs) => {
    const { failure } = await waitForRollout(ctx, id, timeoutMs);
    return failure === undefined ? result : { ...result, failure };
  },
};

const releaseView: View = {
  noun: ['release', 'releases'],
  id: (row) => stringAt(row, 'releases.0.id') ?? '',
  columns: [
    { header: 'VERSION', show: (row) => text(row, 'endpointVersion') },
    { header: 'ON LATEST', show: (row) => percent(row, 'rollout.percentOnLatest') },
  ],
  detail: (row, facts) => [
    {
      title: 'rollout',
      lines: [
        { label: 'version', value: text(row, 'endpointVersion') },
        { label: 'on it', value: percent(row, 'rollout.percentOnLatest') },
        { label: 'workers', value: rolledOut(row) },
        ...otherMembers(memberAt(row, 'rollout') ?? null, KNOWN_ROLLOUT),
        ...otherMembers(row, ['endpointVersion', 'rollout', 'releases', 'pagination']),
      ],
    },
    ...itemsAt(row, 'releases').map((release) => section(release, facts)),
  ],
};

const KNOWN_ROLLOUT = ['inProgress', 'workersOnLatest', 'workersTotal', 'percentOnLatest'];
const KNOWN = ['id', 'version', 'source', 'buildId', 'createdByUserId', 'createdAt', 'workerCount', 'diff'];

function rolledOut(row: Json): string {
  const total = text(row, 'rollout.workersTotal');
  if (total === '0') return 'none';
  const going = memberAt(row, 'rollout.inProgress') === true ? ', in progress' : '';
  return `${text(row, 'rollout.workersOnLatest')} of ${total}${going}`;
}

function section(release: Json, facts: Facts): Section {
  return {
    title: `release ${text(release, 'version') || text(release, 'id')}`,
    lines: [
      { label: 'source', value: text(release, 'source') },
      { label: 'age', value: age(release, 'createdAt', facts) },
      { label: 'workers', value: text(release, 'workerCount') },
      ...['buildId', 'createdByUserId']
        .map((member) => ({ label: member === 'buildId' ? 'build' : 'by', value: text(release, member) }))
        .filter(({ value }) => value !== ''),
      ...itemsAt(release, 'diff').map((entry) => ({
        label: text(entry, 'field'),
        value: `${value(memberAt(entry, 'old'))} -> ${value(memberAt(entry, 'new'))}`,
      })),
      ...otherMembers(release, KNOWN),
    ],
  };
}

const value = (side: Json | undefined): string =>
  side === undefined || side === null || side === '' ? '(none)' : (stringOf(side) ?? encodeJson(side));

const isRollingOut = (result: Result): boolean =>
  result.kind === 'one' && memberAt(result.value, 'rollout.inProgress') === true;

export const releases = defineCommand({
  output: () => contractSchema('ListEndpointReleasesResponse'),
  summary: 'show how far the newest release has rolled out, and what each one changed',
  args: { id: endpointArgument() },
  options: { limit: limitOption(), ...waitOptions('wait until every worker runs the newest release') },
  watch: { ended: (result, first) => isRollingOut(first) && !isRollingOut(result) },
  examples: [
    ['berth endpoints releases captions --watch', 'follow a rollout'],
    ['berth endpoints releases captions --json --jq .rollout.percentOnLatest', 'how far it is, for a script'],
  ],
  run: async (ctx, { id, limit, wait, waitTimeout }) => {
    const { id: known, list } = await readListOf(ctx, ENDPOINTS, id, 'releases', limit);
    if (!wait)
      return {
        kind: 'one',
        view: releaseView,
        value: list.document,
        notes: cutNotes('release', limit, list.isCut),
      };
    const { answer, failure } = await waitForRollout(ctx, known, waitTimeout);
    if (answer === undefined) throw failure ?? new Error('no answer');
    return { ...answerResult(releaseView, answer), failure };
  },
});
