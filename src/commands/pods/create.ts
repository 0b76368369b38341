/** create and update: the verbs that send a body. */
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, unlessFailed, usage } from '../../core/failure.ts';
import type { SettingsView } from '../../core/context.ts';
import {
  isObject,
  type Json,
  type JsonObject,
  memberAt,
  objectAt,
  objectOf,
  stringAt,
  stringsOf,
} from '../../core/json.ts';
import { berth, lines } from '../../core/message.ts';
import { suggestName } from '../../core/text.ts';
import { checkKey, withoutKey } from '../../create/key.ts';
import { idOf } from '../../output/view.ts';
import { run } from '../../cli/hint.ts';
import { defineCommand, textIn, type Values, waitOptions, yesOption } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { catalogOf, hardwareOf, ofNewPod, perHour, tellPrice } from '../../cli/money.ts';
import {
  bodyArguments,
  bodyFlags,
  bodyFrom,
  type BodyRules,
  merged,
  withReferences,
} from '../../cli/resource/request-body.ts';
import { post, type ReadRow, update as updateOf, written } from '../../cli/resource/noun-writes.ts';
import { rowSchema } from '../../cli/resource/arguments.ts';
import { isSameKey, ownPublicKeys, readKeys } from '../account/ssh-keys.ts';
import { checkDeadlineVariables, deadlineLine, deadlinesOfProfile } from './deadlines.ts';
import { createKeyed, PLACEMENT, inOwnWords, place, placementOf, type Send } from './place.ts';
import { REACHABLE, statusOf } from './reachable.ts';
import { PODS, REFERENCES } from './fields.ts';
import { waitFor, waitResult } from './wait.ts';
import { isSame } from '../../fleet/differences.ts';
import { hasDeadline } from '../../guard/deadline.ts';
import { changedCommand, COMMAND_MEMBERS } from '../../cli/container-command.ts';
import { labelOf } from '../../cli/resource/targets.ts';
import { withPath } from './pod-cells.ts';

export const RULES: BodyRules = {
  needed: ['name', ['gpu', 'cpu'], ['image', 'template']],
  exclusive: [
    ['gpu', 'cpu'],
    ['cuda', 'minCuda'],
    ['networkVolume', 'persistentSize'],
  ],
  example: 'gpu.count=2',
  references: REFERENCES,
  // Without the template: its settings are in the pod, and may have changed since.
  fromPrinted: ({ dataCenterId, template: _, globalNetworking, ...pod }) => ({
    ...withoutKey(
      Object.fromEntries(Object.entries(pod).filter(([name, value]) => value !== null || name === 'registry')),
    ),
    ...asFlag(globalNetworking),
    ...(typeof dataCenterId === 'string' ? { dataCenterIds: [dataCenterId] } : {}),
  }),
};

export const create = defineCommand({
  summary: 'create a pod',
  details:
    'A pod has a GPU or a CPU flavor, and an image or a template. Several --gpu are tried in order. --file takes what pods get -o yaml printed. With --idempotency-key a second run creates no second pod.',
  args: bodyArguments(PODS, 'create', RULES),
  options: {
    ...bodyFlags(PODS, 'create', RULES),
    ...PLACEMENT,
    idempotencyKey: option.text('return the pod with this key where there is one', { metavar: 'WORD' }),
    // Nothing is asked: scripts may confirm all the same.
    yes: { ...yesOption, hidden: true },
    ...waitOptions('wait until it can be reached'),
  },
  needed: RULES.needed,
  fields: PODS.view.paths,
  output: () => rowSchema(PODS),
  writes: true,
  costs: true,
  exits: [EXIT.waitEnded, EXIT.limitExceeded, EXIT.jobFailed],
  examples: [
    [
      'berth pods create lab --gpu GPU-24G --image example/pytorch:2.8 --wait',
      'one GPU, and wait until it can be reached',
    ],
    ['berth pods create web --cpu cpu-general --vcpu 4 --image example/web --port 8080/http', 'a CPU pod with a port'],
    [
      'berth pods create nightly --gpu GPU-24G --image example/pytorch:2.8 --idempotency-key nightly-2026-11-23',
      'one pod, however often it runs',
    ],
    [
      'berth pods create train --gpu GPU-24G --image example/pytorch:2.8 -- python train.py',
      'with a command of its own',
    ],
  ],
  run: async (ctx, values: Values) => {
    const given = await bodyFrom(ctx, PODS, values, RULES);
    const body = withSshPort(merged(createDefaults(given, ctx.settings), given));
    await checkDeadlineVariables(ctx, body);
    const [placement, key] = [placementOf(values, body), textIn(values, 'idempotencyKey')];
    if (key !== undefined) checkKey(key);
    if (ctx.settings.get('guard') === 'warn' && body['gpu'] !== undefined && !hasDeadline(body['env']))
      await ctx.tell('warning: this pod has no deadline; --stop-after 8h sets one');
    if (body['startSsh'] === true) await warnWithoutKey(ctx);
    let catalog: readonly Json[] = [];
    const hardware = stringAt(body, 'gpu.id') ?? stringAt(body, 'cpu.id') ?? '';
    const isListed = (): boolean => catalog.some((row) => idOf(row) === hardware);
    if (placement === undefined)
      await tellPrice(ctx, async () => {
        catalog = await catalogOf(ctx, body);
        if (!isListed()) return undefined;
        const cost = ofNewPod(body, catalog);
        return lines(`${hardwareOf(body)}: ${perHour(cost)}`, deadlineLine(ctx, body, cost));
      });
    const answer = await withReferences(ctx, body, REFERENCES, (known) => {
      const make = (send: Send) => place(ctx, known, placement, send);
      return key === undefined ? make((one) => ctx.api.send(post(PODS, one))) : createKeyed(ctx, key, make);
    }).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      const near = isListed() ? undefined : suggestName(hardware, catalog.map(idOf));
      throw inOwnWords(error.with({ hint: lines(near, error.hint) }));
    });
    const result = await written(ctx, PODS, answer, 'created');
    if (values['wait'] !== true) return result;
    for (const note of result.notes ?? []) await ctx.tell(note);
    const waited = await waitFor(ctx, [{ id: idOf(answer.value), answer }], REACHABLE, Number(values['waitTimeout']));
    const failure = waited[0]?.failure;
    // Without -o the id is printed in a pipe, also where the wait fails.
    if (result.kind !== 'one' && failure !== undefined) return { ...result, notes: [], failure };
    const ended = waitResult(ctx, waited, false, REACHABLE);
    return result.kind === 'one' ? ended : { ...result, notes: ended.notes };
  },
});

/** What a create has unless it is given: one GPU, a disk, and the deadlines of the profile. */
export function createDefaults({ gpu, templateId, env }: JsonObject, settings: SettingsView): JsonObject {
  const deadlines = deadlinesOfProfile(env, settings);
  return {
    ...(isObject(gpu) ? { gpu: { count: 1 } } : {}),
    ...(templateId === undefined ? { disk: 20 } : {}),
    ...(Object.keys(deadlines).length === 0 ? {} : { env: deadlines }),
  };
}

/** SSH by the proxy is a terminal alone. The ports of a template are kept. */
export function withSshPort(body: JsonObject): JsonObject {
  const ports = stringsOf(body['ports']);
  const isKept = body['startSsh'] !== true || ports.includes('22/tcp');
  return isKept || (body['ports'] === undefined && body['templateId'] !== undefined)
    ? body
    : { ...body, ports: [...ports, '22/tcp'] };
}

async function warnWithoutKey(ctx: CommandContext): Promise<void> {
  const own = await ownPublicKeys(ctx);
  const known = await unlessFailed(ctx, () => readKeys(ctx));
  if (known === undefined || own.some((key) => known.some((each) => isSameKey(each, key)))) return;
  await ctx.tell('warning: no SSH key of this machine is in the account');
  await ctx.tell(run(berth`account ssh-keys add`));
}

/** An answer has an object, a body true or false (specification 2.2). */
export const asFlag = (globalNetworking: Json | undefined): JsonObject =>
  globalNetworking === undefined
    ? {}
    : { globalNetworking: isObject(globalNetworking) ? (globalNetworking['enabled'] ?? false) : globalNetworking };

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
