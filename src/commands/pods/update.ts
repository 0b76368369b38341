import { isDeepStrictEqual } from 'node:util';
import { changedCommand, COMMAND_MEMBERS } from '../../cli/container/container-command.ts';
import { textIn, type Values } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { storagePrice } from '../../cli/money/disks.ts';
import type { Price } from '../../cli/resource/ask-before-write.ts';
import { labelOf } from '../../cli/resource/choose.ts';
import { TEMPLATES } from '../../cli/resource/collections.ts';
import { bodyOf } from '../../cli/resource/field-writes.ts';
import { readRow } from '../../cli/resource/identify.ts';
import { updateCommand } from '../../cli/resource/write.ts';
import { checkUpdate } from './body-checks.ts';
import { asFlag } from './create.ts';
import { checkDeadlineVariables } from './deadlines.ts';
import { POD_TABLE } from './fields.ts';
import { withPath } from './pod-cells.ts';
import { CREATE_REFERENCES, PODS } from './resource.ts';
import { refuseMember } from './terminate.ts';
import { usage } from '../../core/failure.ts';
import {
  encodeJson,
  type Json,
  type JsonObject,
  memberAt,
  numberAt,
  objectAt,
  objectOf,
  stringAt,
} from '../../core/json.ts';
import { berth, sentence } from '../../core/message.ts';

/** A change restarts the container (additions 5; a template brings new ones). */
export const RESTARTING = [
  'image',
  'env',
  'ports',
  'disk',
  'registry',
  'mounts',
  'templateId',
  ...COMMAND_MEMBERS,
] as const;

/** Undefined if the pod does not run or nothing that restarts it changes. Fails as the read of the pod. */
async function restartSentence(
  _: unknown,
  body: JsonObject,
  readPod: () => Promise<Json>,
): Promise<string | undefined> {
  const given = RESTARTING.filter((member) => body[member] !== undefined);
  if (given.length === 0) return undefined;
  const pod = await readPod();
  const status = stringAt(pod, 'status') ?? '';
  if (status !== 'RUNNING' && status !== 'STARTING') return undefined;
  const others = given.filter((member) => !isCommandMember(member));
  const changed = [
    ...others.filter((member) => !isSame(member, memberAt(pod, member), body[member])),
    ...(await changedCommand(pod, body)),
  ];
  if (changed.length === 0) return undefined;
  const path = stringAt(pod, 'mounts.network.0.path') ?? stringAt(pod, 'mounts.persistent.path');
  const lost = path === undefined ? 'everything on its container disk is lost' : `what is not below ${path} is lost`;
  return `Pod ${labelOf(pod)} is ${status}: a change of ${changed.join(', ')} restarts its container, and ${lost}.`;
}

const isCommandMember = (member: string): boolean => COMMAND_MEMBERS.some((each) => each === member);

/** The order of ports does not count. */
function isSame(member: string, before: Json | undefined, after: Json | undefined): boolean {
  const plain = (value: Json | undefined): unknown => {
    const decoded: unknown = JSON.parse(encodeJson(value ?? null));
    return member === 'ports' && Array.isArray(decoded) ? decoded.map(String).toSorted() : decoded;
  };
  return isDeepStrictEqual(plain(before), plain(after));
}

const FIELDS = bodyOf(POD_TABLE, 'update');

export const update = updateCommand(PODS, 'pods', {
  summary: 'change a pod',
  details:
    'Only what is named is changed: --env adds or changes variables and keeps the others. Changes of the container of a running pod restart it: what is outside its mount is lost, so that is asked about first (--yes in scripts). The kind of a mount and its volume are fixed at creation. What berth pods get -o yaml printed can be changed and fed back with --file.',
  ...FIELDS,
  prints: [...(FIELDS.prints ?? []), 'dataCenterIds', 'startSsh', 'startJupyter'],
  setExample: 'disk=100',
  adapt: ({ globalNetworking, ...pod }) => ({ ...pod, ...asFlag(globalNetworking) }),
  references: CREATE_REFERENCES,
  fill: wholeMount,
  check: async (body, readPod, ctx) => {
    if (ctx.dryRun && readPod !== undefined) refuseMember(await readPod());
    await checkDeadlineVariables(ctx, body, readPod);
    await checkUpdate(body, readPod);
  },
  raise: largerStorage,
  restarts: restartSentence,
  examples: [
    ['berth pods update lab2 --name trainer', 'another name'],
    ['berth pods update train-llm --locked on', 'protect it from being stopped'],
    ['berth pods update lab --env MODE=fast --unset-env DEBUG --yes', 'variables; a running pod restarts'],
    ['berth pods update lab --file pod.yaml', 'what an editor made of berth pods get POD -o yaml'],
  ],
});

/** Charged by size; no published price. */
const STORAGE = { disk: 'container disk', 'mounts.persistent.size': 'persistent mount' } as const;

/** Growth costs more and is confirmed. A template's disk counts if the body has none. */
async function largerStorage(
  ctx: CommandContext,
  change: JsonObject,
  readPod: () => Promise<Json>,
): Promise<Price | undefined> {
  const template = stringAt(change, 'templateId');
  const disk =
    template === undefined || change['disk'] !== undefined
      ? undefined
      : numberAt((await readRow(ctx, TEMPLATES, template)).answer.value, 'disk');
  const body = disk === undefined ? change : { ...change, disk };
  const given = Object.entries(STORAGE).filter(([path]) => numberAt(body, path) !== undefined);
  if (given.length === 0) return undefined;
  const before = await readPod();
  return storagePrice(
    given.map(([path, name]) => ({ name, from: numberAt(before, path) ?? 0, to: numberAt(body, path) ?? 0 })),
  );
}

/** The service requires all members of a mount (specification 2.3). */
async function wholeMount(body: JsonObject, values: Values, readPod: () => Promise<Json>): Promise<JsonObject> {
  const path = textIn(values, 'mountPath');
  if (path === undefined && values['persistentSize'] === undefined) return body;
  const given = objectOf(body['mounts']) ?? {};
  const before = objectAt(await readPod(), 'mounts') ?? {};
  const open = given['network'] === undefined && given['persistent'] === undefined ? before : given;
  const persistent = objectOf(open['persistent']);
  const mounts =
    persistent === undefined ? open : { ...open, persistent: { ...objectOf(before['persistent']), ...persistent } };
  const complete = path === undefined ? mounts : withPath(mounts, path);
  if (complete === undefined)
    throw usage(
      '--mount-path: this pod has no mount',
      sentence`Create another pod to mount something: ${berth`pods create`}`,
    );
  return { ...body, mounts: complete };
}
