import { encodeJson, itemsAt, type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { readListOf } from '../../cli/resource/identity/identify.ts';
import { beyondNotes, limitOption } from '../../cli/resource/list.ts';
import { documentResult } from '../../cli/resource/pages/read-list.ts';
import { waitForRow, type WaitSpec } from '../../cli/resource/wait-for-row.ts';
import { age, percent, text } from '../../output/cells/cell-functions.ts';
import { type Facts, type Result, type Section, type View } from '../../output/view.ts';
import { loadCommandLine } from '../shared/container/container-command.ts';
import { ENDPOINTS, ENDPOINT_ARGUMENT } from '../shared/collections.ts';
import { otherMembers } from '../../cli/resource/fields/detail-lines.ts';
import { waitOptions } from '../../cli/model/common-options.ts';
import { contractSchema } from '../../cli/model/output-schema.ts';

/** Waits until every worker runs the newest release. Ends at once where the service gives no percentage. */
export const ROLLOUT: WaitSpec = {
  until: 'rolled out',
  subresource: 'releases',
  done: (seen) => {
    const share = numberAt(seen, 'rollout.percentOnLatest');
    return share === undefined || share >= 100 || memberAt(seen, 'rollout.workersTotal') === 0;
  },
  bad: () => false,
  describe: (seen) => `${text('rollout.percentOnLatest')(seen)}% of workers`,
  resumeCommand: (id) => berth`endpoints releases ${id} --wait`,
};

/** How the text `args` is shown, so that spellings of one command are the same. */
type ShowArgs = (args: string) => string;

const releaseView = (showArgs: ShowArgs): View => ({
  noun: ['release', 'releases'],
  id: (row) => stringAt(row, 'releases.0.id') ?? '',
  columns: [
    { header: 'VERSION', show: text('endpointVersion') },
    { header: 'ON LATEST', show: percent('rollout.percentOnLatest') },
  ],
  detail: (row, facts) => [
    {
      title: 'rollout',
      lines: [
        { label: 'version', value: text('endpointVersion')(row) },
        { label: 'on it', value: percent('rollout.percentOnLatest')(row) },
        { label: 'workers', value: rolledOut(row) },
        ...otherMembers(memberAt(row, 'rollout') ?? null, KNOWN_ROLLOUT),
        ...otherMembers(row, ['endpointVersion', 'rollout', 'releases', 'pagination']),
      ],
    },
    ...itemsAt(row, 'releases').map((release) => section(release, facts, showArgs)),
  ],
});

const KNOWN_ROLLOUT = ['inProgress', 'workersOnLatest', 'workersTotal', 'percentOnLatest'];
const KNOWN = ['id', 'version', 'source', 'buildId', 'createdByUserId', 'createdAt', 'workerCount', 'diff'];

/** `2 of 4, in progress`. */
function rolledOut(row: Json): string {
  const total = text('rollout.workersTotal')(row);
  if (total === '0') return 'none';
  const going = memberAt(row, 'rollout.inProgress') === true ? ', in progress' : '';
  return `${text('rollout.workersOnLatest')(row)} of ${total}${going}`;
}

/** One release with the fields that it changed. */
function section(release: Json, facts: Facts, showArgs: ShowArgs): Section {
  const changed = itemsAt(release, 'diff').flatMap((entry) => {
    const isArgs = memberAt(entry, 'field') === 'args';
    const side = (name: string): string => value(memberAt(entry, name), isArgs ? showArgs : undefined);
    const [before, after] = [side('old'), side('new')];
    return isArgs && before === after ? [] : [{ label: text('field')(entry), value: `${before} -> ${after}` }];
  });
  return {
    title: `release ${text('version')(release) || text('id')(release)}`,
    lines: [
      { label: 'source', value: text('source')(release) },
      { label: 'age', value: age('createdAt')(release, facts) },
      { label: 'workers', value: text('workerCount')(release) },
      ...['buildId', 'createdByUserId']
        .map((member) => ({ label: member === 'buildId' ? 'build' : 'by', value: text(member)(release) }))
        .filter(({ value }) => value !== ''),
      ...changed,
      ...otherMembers(release, KNOWN),
    ],
  };
}

const value = (side: Json | undefined, show: (given: string) => string = (given) => given): string =>
  side === undefined || side === null || side === ''
    ? '(none)'
    : typeof side === 'string'
      ? show(side)
      : encodeJson(side);

const isRollingOut = (result: Result): boolean =>
  result.kind === 'one' && memberAt(result.value, 'rollout.inProgress') === true;

/** `berth endpoints releases ID`: the rollout of the newest release, then each release with its changes. */
export const releases = defineCommand({
  output: contractSchema('ListEndpointReleasesResponse'),
  summary: 'show how far the newest release has rolled out, and what each one changed',
  args: { id: ENDPOINT_ARGUMENT },
  options: { limit: limitOption, ...waitOptions('wait until every worker runs the newest release') },
  watch: { ended: (result, first) => isRollingOut(first) && !isRollingOut(result) },
  examples: [
    ['berth endpoints releases captions --watch', 'follow a rollout'],
    ['berth endpoints releases captions --json --jq .rollout.percentOnLatest', 'how far it is, for a script'],
  ],
  run: async (ctx, { id, limit, wait, waitTimeout }) => {
    const view = releaseView(await loadCommandLine());
    const { id: known, list } = await readListOf(ctx, ENDPOINTS, id, 'releases', limit);
    if (wait) return await waitForRow(ctx, { ...ENDPOINTS, view }, 'endpoints', known, ROLLOUT, waitTimeout);
    return { ...documentResult(view, list), notes: beyondNotes('release', { limit }, list.beyond) };
  },
});
