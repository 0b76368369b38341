import { berth, sentence } from '../../core/message.ts';
import { usage } from '../../core/failure.ts';
import { type Json, type JsonObject, numberAt, objectAt, objectOf, stringAt } from '../../core/json.ts';
import type { Values } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { updateCommand } from '../../cli/resource/write.ts';
import { bodyOf } from '../../cli/resource/body/field-writes.ts';
import { checkUpdate } from './body/body-checks.ts';
import { checkDeadlineVariables } from './pod/deadline-flags.ts';
import { asFlag } from './create.ts';
import { POD_TABLE } from './pod/fields.ts';
import { refuseMember } from './pod/cluster-member.ts';
import type { Price } from '../../cli/resource/ask-before-write.ts';
import { readRow } from '../../cli/resource/identity/identify.ts';
import { storagePrice } from '../shared/rate/storage-change.ts';
import { TEMPLATES } from '../shared/collections.ts';
import { withPath } from './pod/mounts.ts';
import { CREATE_REFERENCES } from '../shared/capacity/references.ts';
import { PODS } from './pod/resource.ts';
import { restartSentence } from './restart-sentence.ts';
import { textIn } from '../../cli/model/values.ts';

const FIELDS = bodyOf(POD_TABLE, 'update');

export const update = updateCommand(PODS, 'pods', {
  summary: 'change a pod',
  details:
    'Only what is named is changed: --env adds or changes variables and keeps the others. Changes of the container of a running pod restart it: what is outside its mount is lost, so that is asked about first (--yes in scripts). The kind of a mount and its volume are fixed at creation. What berth pods get -o yaml printed can be changed and fed back with --file.',
  ...FIELDS,
  // What a file for a create holds beside what `get` prints.
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

/** The storage of a pod that is paid by its size. It has no published price. */
const STORAGE = { disk: 'container disk', 'mounts.persistent.size': 'persistent mount' } as const;

/** What storage grows, which costs more and is asked about, or shrinks; a template brings the disk that the body does not name. */
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

/** Completes a mount from the pod: the service accepts a mount only with all of its members (specification 2.3). */
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
