import { type Values, waitOptions } from '../../cli/model/command.ts';
import { option } from '../../cli/model/params.ts';
import type { ApiAnswer } from '../../core/api.ts';
import type { SettingsView } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { berth, inOne, type Message, sentence } from '../../core/message.ts';
import { isObject, type Json, type JsonObject, memberAt, stringAt } from '../../core/json.ts';
import { formatDollars } from '../../core/units.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { withoutKey } from '../../create/key.ts';
import { AT_UNKNOWN_PRICE, type Price } from '../../cli/resource/ask-before-write.ts';
import { createCommand, type CreateRequest } from '../../cli/resource/write.ts';
import { bodyOf } from '../../cli/resource/field-writes.ts';
import { PLACEMENT_OPTIONS, type PlacementValues, planOf } from './capacity-options.ts';
import { checkCreate, checkSize } from './body-checks.ts';
import { checkDeadlineVariables, costUntilDeadline, deadlinesOfProfile, warnWithoutDeadline } from './deadlines.ts';
import { askMore, askVcpus, createCommandLine } from './create-questions.ts';
import { inOwnWords } from './refusals.ts';
import { POD_TABLE } from './fields.ts';
import { andDisks, catalogPrice } from './price.ts';
import {
  DISK_GB,
  hasExpensiveMount,
  hasKnownPlaces,
  isAskedAbout,
  largeDiskLine,
  withTemplateDisks,
} from '../../cli/money/disks.ts';
import { keptDisks } from '../../cli/money/hourly-cost.ts';
import { readPodOfKey } from './keyed-create.ts';
import { CREATE_REFERENCES, podNotes, PODS } from './resource.ts';
import { REACHABLE, statusOf } from './reachable.ts';
import { publishesSsh } from './reach-pod.ts';
import { isStuck, untilStatus } from './wait.ts';

const BESIDE_THE_BODY = { ...PLACEMENT_OPTIONS, ...waitOptions(''), dryRun: option.on('') };

export const create = createCommand(PODS, 'pods', {
  summary: 'create a pod',
  details: `A pod has exactly one of --gpu and --cpu, and an image, of its own or from a template. Without --disk and --template it has a container disk of ${DISK_GB} GB. A container disk is paid besides the cost of an hour, at a price that is not published: billing report shows what it was. What berth pods get -o yaml printed can be changed and fed back with --file. A network volume is mounted where the volume is, on the SECURE cloud. Several --gpu are candidates, each in every --data-center, in this order: the first that has room is created, and one pod only. With --until-available, --max-price, --start-timeout or --idempotency-key the pod has a key, so that the same command run again with that key makes no second one: docs/guides/waiting-for-a-gpu.md.`,
  ...bodyOf(POD_TABLE, 'create'),
  needed: ['name', ['gpu', 'cpu'], ['image', 'template']],
  exclusive: [
    ['gpu', 'cpu'],
    ['cuda', 'minCuda'],
    ['networkVolume', 'persistentSize'],
  ],
  setExample: 'gpu.count=2',
  defaults: createDefaults,
  adapt: asCreateBody,
  references: CREATE_REFERENCES,
  check: (body, _, ctx) => checkNewPod(ctx, body),
  options: PLACEMENT_OPTIONS,
  exits: [EXIT.waitEnded, EXIT.limitExceeded],
  send: async (ctx, request, values, asked) => {
    const plan = planOf(values as PlacementValues, request.body);
    if (plan === undefined) return await sendNewPod(ctx, request);
    await warnWithoutDeadline(ctx, request.body);
    return await (await import('./send-planned.ts')).sendPlanned(ctx, request, plan, asked);
  },
  refused: (failure) => inOwnWords(failure, 'create'),
  askBeside: askVcpus,
  offer: askMore,
  commandLine: (body, values) => createCommandLine(body, values, BESIDE_THE_BODY),
  nextStep,
  price: hourlyPrice,
  notes: podNotes,
  // A pod created earlier with this key may be stopped and will not start by itself.
  wait: { ...untilStatus(REACHABLE), bad: (pod) => isStuck(pod, REACHABLE) || statusOf(pod) === 'EXITED' },
  examples: [
    [
      'berth pods create --name lab --gpu GPU-24G --image example/pytorch:2.8 --wait',
      'one GPU, and wait until it can be reached',
    ],
    [
      'berth pods create --name lab8 --gpu GPU-24G --image example/pytorch:2.8 --stop-after 8h',
      'with a deadline, which a guard keeps: berth guard',
    ],
    [
      'berth pods create --name big --gpu GPU-80G --gpu GPU-48G --max-price 2.50 --until-available 6h --image example/pytorch:2.8',
      'whichever has room first within six hours, and none above $2.50 an hour',
    ],
    [
      'berth pods create --name nightly --gpu GPU-24G --image example/pytorch:2.8 --idempotency-key nightly-2026-11-23',
      'in a script that may run twice: one pod',
    ],
    [
      'berth pods create --name web --cpu cpu-general --vcpu 4 --image example/web --port 8080/http',
      'a CPU pod with a port',
    ],
    [
      'berth pods create --name train --gpu GPU-24G --image example/pytorch:2.8 -- python train.py --lr 1e-4',
      'with a command of its own, word by word',
    ],
    [
      'berth pods create --name lab2 --file pod.yaml --network-volume datasets:/workspace',
      'like another one, with a volume',
    ],
  ],
});

export function createDefaults({ gpu, templateId, env }: JsonObject, settings: SettingsView): JsonObject {
  return {
    ...(isObject(gpu) ? { gpu: { count: 1 } } : {}),
    ...(templateId === undefined ? { disk: DISK_GB } : {}),
    ...withEnv(deadlinesOfProfile(env, settings)),
  };
}

/** Usage (2) for a contradictory body, an impossible deadline, or data centers other than the volume's. */
export async function checkNewPod(ctx: CommandContext, body: JsonObject): Promise<void> {
  await checkDeadlineVariables(ctx, body);
  checkCreate(body);
}

/** For pods that berth does not place. Usage (2) for a body that is too large. */
export async function sendNewPod(ctx: CommandContext, request: CreateRequest): Promise<ApiAnswer> {
  await warnWithoutDeadline(ctx, request.body);
  await checkSize(ctx, request.body);
  return await ctx.api.send(request);
}

const withEnv = (env: JsonObject): JsonObject => (Object.keys(env).length === 0 ? {} : { env });

function nextStep(pod: Json, body: JsonObject): Message {
  const id = stringAt(pod, 'id') ?? 'POD';
  const use = body['startSsh'] === true ? berth`pods ssh ${id}` : berth`pods logs ${id} --follow`;
  const next =
    memberAt(pod, 'status') === 'RUNNING'
      ? sentence`Next: ${use}`
      : sentence`Next: ${berth`pods wait ${id}`}, then ${use}`;
  if (body['startSsh'] !== true || publishesSsh(pod)) return next;
  return inOne(['It takes SSH by its proxy alone, which is a terminal: --port 22/tcp gives direct SSH.', next]);
}

/** Without the template: its settings are in the pod and may have changed since. */
function asCreateBody({ dataCenterId, globalNetworking, ...pod }: JsonObject): JsonObject {
  const hardware = Object.fromEntries(
    Object.entries(pod).filter(([name, value]) => value !== null || name === 'registry'),
  );
  return {
    ...withoutKey(hardware),
    ...(typeof dataCenterId === 'string' ? { dataCenterIds: [dataCenterId] } : {}),
    ...asFlag(globalNetworking),
  };
}

/** An answer has an object, a body true or false (specification 2.2). */
export const asFlag = (globalNetworking: Json | undefined): JsonObject =>
  isObject(globalNetworking)
    ? { globalNetworking: globalNetworking['enabled'] ?? false }
    : globalNetworking === undefined
      ? {}
      : { globalNetworking };

/** Undefined if the catalog lacks the hardware or place. Fails as the catalog does. */
async function hourlyPrice(ctx: CommandContext, body: JsonObject, values: Values): Promise<Price | undefined> {
  const { key, wanted } = planOf(values as PlacementValues, body) ?? {};
  // Prices of candidates are printed with their order.
  if (wanted !== undefined) return undefined;
  if (key !== undefined && (await readPodOfKey(ctx, key)) !== undefined) return undefined;
  const price = (await hasKnownPlaces(ctx, body)) ? await catalogPrice(ctx, body) : undefined;
  if (price === undefined) return undefined;
  const { perHour, hardware, cloud } = price;
  const whole = await withTemplateDisks(ctx, body);
  const untilStopped =
    perHour === undefined
      ? `The catalog has no price for ${hardware} on the ${cloud} cloud. It is paid until it is stopped.`
      : `${hardware} on the ${cloud} cloud costs ${formatDollars(perHour)} an hour until it is stopped.`;
  const others = [
    largeDiskLine(whole),
    keptDisks([whole]),
    perHour === undefined ? undefined : await costUntilDeadline(ctx, whole, perHour),
  ];
  const line = inOne([untilStopped, ...others.filter((other) => other !== undefined)]);
  return {
    line,
    asks: isAskedAbout(perHour) || hasExpensiveMount(whole),
    inQuestion: perHour === undefined ? AT_UNKNOWN_PRICE : `for ${formatDollars(perHour)} an hour${andDisks(whole)}`,
  };
}
