import { waitOptions } from '../../cli/model/common-options.ts';
import { option } from '../../cli/model/params.ts';
import type { ApiAnswer } from '../../core/api.ts';
import type { SettingsView } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { berth, inOne, type Message, sentence } from '../../core/message.ts';
import { isObject, type Json, type JsonObject, memberAt, stringAt } from '../../core/json.ts';
import { formatDollars } from '../../core/units.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { withoutKey } from '../../create/key.ts';
import type { Values } from '../../cli/model/command.ts';
import { AT_UNKNOWN_PRICE, type Price } from '../../cli/resource/ask-before-write.ts';
import { createCommand, type CreateRequest } from '../../cli/resource/write.ts';
import { bodyOf } from '../../cli/resource/body/field-writes.ts';
import { planOf, PLACEMENT_OPTIONS, type PlacementValues } from './capacity/options.ts';
import { checkCreate } from './body/body-checks.ts';
import { checkSize } from './body/check-size.ts';
import { checkDeadlineVariables, deadlinesOfProfile } from './pod/deadline-flags.ts';
import { createCommandLine } from './body/create-command-line.ts';
import { askMore, askVcpus } from './body/create-questions.ts';
import { costUntilDeadline, warnWithoutDeadline } from './pod/deadline-cost.ts';
import { inOwnWords } from './pod/create-refusals.ts';
import { POD_TABLE } from './pod/fields.ts';
import { andDisks } from './pod/unpriced-disks.ts';
import { catalogPrice } from './pod/price.ts';
import { isAskedAbout } from '../shared/rate/ask-limits.ts';
import { hasKnownPlaces } from '../shared/rate/is-possible.ts';
import { DISK_GB, largeDiskLine } from '../shared/rate/large-disk.ts';
import { hasExpensiveMount, withTemplateDisks } from '../shared/rate/template-disks.ts';
import { keptDisks } from '../shared/rate/stopped-disks.ts';
import { readPodOfKey } from '../shared/capacity/pod-of-key.ts';
import { CREATE_REFERENCES } from '../shared/capacity/references.ts';
import { podRefusals } from '../shared/refusals/would-be-refused.ts';
import { tellNoStock } from '../shared/refusals/no-stock.ts';
import { refuseVolumeElsewhere } from '../shared/capacity/volume-place.ts';
import { REACHABLE, statusOf } from './pod/reachable.ts';
import { PODS, podNotes } from './pod/resource.ts';
import { publishesSsh } from './reach/reach-pod.ts';
import { untilStatus } from './actions/wait.ts';
import { isStuck } from './actions/wait-for-status.ts';

/** Flags that are no members of the body, of the command line that is printed. */
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
    return await (await import('./capacity/send-planned.ts')).sendPlanned(ctx, request, plan, asked);
  },
  wouldRefuse: podRefusals,
  refused: (failure) => inOwnWords(failure, 'create'),
  askBeside: askVcpus,
  offer: askMore,
  commandLine: (body, values) => createCommandLine(body, values, BESIDE_THE_BODY),
  nextStep,
  price: hourlyPrice,
  notes: podNotes,
  // One that was made before with its key may be stopped: it will not start by itself.
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

/** What a create has by default: a GPU, a disk, and the deadlines of the profile. */
export function createDefaults({ gpu, templateId, env }: JsonObject, settings: SettingsView): JsonObject {
  return {
    ...(isObject(gpu) ? { gpu: { count: 1 } } : {}),
    ...(templateId === undefined ? { disk: DISK_GB } : {}),
    ...withEnv(deadlinesOfProfile(env, settings)),
  };
}

/**
 * Refuses the body of a create that contradicts itself, has a deadline that nobody could keep, or names a network volume and
 * other data centers than the volume's: usage (2).
 */
export async function checkNewPod(ctx: CommandContext, body: JsonObject): Promise<void> {
  await checkDeadlineVariables(ctx, body);
  checkCreate(body);
  await refuseVolumeElsewhere(ctx, body);
}

/** Sends a create whose pod is not placed by berth. Fails with usage (2) for a body that is too large. */
export async function sendNewPod(ctx: CommandContext, request: CreateRequest): Promise<ApiAnswer> {
  await warnWithoutDeadline(ctx, request.body);
  await checkSize(ctx, request.body);
  await tellNoStock(ctx, request.body);
  return await ctx.api.send(request);
}

const withEnv = (env: JsonObject): JsonObject => (Object.keys(env).length === 0 ? {} : { env });

/** `Next: berth pods wait pod-1, then berth pods ssh pod-1`. */
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

/**
 * Turns a pod as `get` prints it into the body of a create. The template is left out: its settings are in the pod, and
 * may have been changed since.
 */
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

/** Turns the `globalNetworking` object of an answer into the true or false of a body (specification 2.2). */
export const asFlag = (globalNetworking: Json | undefined): JsonObject =>
  isObject(globalNetworking)
    ? { globalNetworking: globalNetworking['enabled'] ?? false }
    : globalNetworking === undefined
      ? {}
      : { globalNetworking };

/**
 * What it costs an hour, and until a deadline; undefined for hardware or a place that the catalog does not have, which the service
 * refuses. Fails as the catalog does.
 */
async function hourlyPrice(ctx: CommandContext, body: JsonObject, values: Values): Promise<Price | undefined> {
  const { key, wanted } = planOf(values as PlacementValues, body) ?? {};
  // The prices of candidates are said with their order.
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
