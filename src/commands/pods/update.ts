import { usage } from '../../core/failure.ts';
import { type Json, type JsonObject, memberAt, objectAt, objectOf } from '../../core/json.ts';
import { isSame } from '../../fleet/differences.ts';
import { changedCommand, COMMAND_MEMBERS } from '../../cli/container/container-command.ts';
import { textIn, type Values } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { type ReadRow, update as updateOf } from '../../cli/resource/noun-writes.ts';
import { merged } from '../../cli/resource/request-body.ts';
import { labelOf } from '../../cli/resource/targets.ts';
import { asFlag } from './create.ts';
import { checkDeadlineVariables } from './deadlines.ts';
import { withPath } from './pod-cells.ts';
import { statusOf } from './reachable.ts';
import { PODS, REFERENCES } from './resource.ts';

/** Members whose change restarts the container of a pod that runs. */
export const RESTARTING = ['image', 'env', 'ports', 'disk', 'registry', 'mounts', 'templateId', ...COMMAND_MEMBERS];

export const update = updateOf(PODS, {
  summary: 'change a pod',
  details:
    'Changes of its container restart a running pod: asked about, or --yes. --env adds and changes variables, and keeps the others. What berth pods get -o yaml printed can be changed and used with --file.',
  example: 'disk=100',
  references: REFERENCES,
  readOnly: ['dataCenterIds', 'startSsh', 'startJupyter'],
  fromPrinted: ({ globalNetworking, ...pod }) => ({ ...pod, ...asFlag(globalNetworking) }),
  complete,
  risky: RESTARTING,
  risk: restarts,
  examples: [
    ['berth pods update web-frontend --locked on', 'protect it from being stopped'],
    ['berth pods update lab --env MODE=fast --unset-env DEBUG --yes', 'variables; a running pod restarts'],
  ],
});

async function restarts(body: JsonObject, pod: Json): Promise<string | undefined> {
  if (!['RUNNING', 'STARTING'].includes(statusOf(pod))) return undefined;
  const isCommand = (member: string): boolean => COMMAND_MEMBERS.some((each) => each === member);
  const differs = (member: string): boolean =>
    body[member] !== undefined && !isSame(memberAt(pod, member), body[member], member === 'ports');
  const changed = [
    ...RESTARTING.filter((member) => !isCommand(member) && differs(member)),
    ...(await changedCommand(pod, body)),
  ];
  return changed.length === 0
    ? undefined
    : `pod ${labelOf(pod)} restarts (${changed.join(', ')}): container disk erased, volumes kept.`;
}

/** The service takes only a complete mount. Refuses a deadline that is over. */
async function complete(ctx: CommandContext, body: JsonObject, row: ReadRow, values: Values): Promise<JsonObject> {
  await checkDeadlineVariables(ctx, body, row);
  const path = textIn(values, 'mountPath');
  if (path === undefined && values['persistentSize'] === undefined) return body;
  const before = objectAt(await row(), 'mounts') ?? {};
  const mounts = merged(before, objectOf(body['mounts']) ?? {});
  const moved = path === undefined ? mounts : withPath(mounts, path);
  if (moved === undefined) throw usage('--mount-path: this pod has no mount');
  return { ...body, mounts: moved };
}
