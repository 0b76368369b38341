import type { Choice } from '../../core/context.ts';
import { Failure } from '../../core/failure.ts';
import { isObject, memberAt, numberOf, stringOf, type Json, type JsonObject } from '../../core/json.ts';
import { formatDollars } from '../../core/units.ts';
import type { CommandContext } from '../../cli/context.ts';
import { listRows } from '../../cli/resource/read.ts';
import { createCommand } from '../../cli/resource/write.ts';
import { gigabytes, text } from '../../output/layout/cells.ts';
import { catalogRow } from '../shared/choices.ts';
import { CPUS, DATA_CENTERS, GPUS, REGISTRIES, TEMPLATES, VOLUMES } from '../shared/collections.ts';
import { checkCreate } from './checks.ts';
import { CREATE_ACCEPTS, CREATE_MEMBERS, PRINTS } from './members.ts';
import { PODS } from './resource.ts';
import { podNotes } from './view.ts';
import { untilStatus } from './wait.ts';

/** Members of a body that may be names (contract rules, Pods). */
export const REFERENCES = {
  templateId: TEMPLATES,
  registry: REGISTRIES,
  'mounts.network.0.volumeId': VOLUMES,
} as const;

export const create = createCommand(PODS, 'pods', {
  summary: 'create a pod',
  details:
    'A pod has exactly one of --gpu and --cpu, and an image, of its own or from a template. What berth pods get -o yaml printed can be changed and fed back with --file. A network volume is mounted where the volume is, on the SECURE cloud.',
  members: CREATE_MEMBERS,
  needed: ['name', ['gpu', 'cpu'], ['image', 'template']],
  exclusive: [
    ['gpu', 'cpu'],
    ['cuda', 'minCuda'],
    ['networkVolume', 'persistentSize'],
  ],
  accepts: CREATE_ACCEPTS,
  setExample: 'gpu.count=2',
  prints: PRINTS,
  adapt: asCreated,
  references: REFERENCES,
  check: checkCreate,
  offer: placeAndVolume,
  price: perHour,
  notes: podNotes,
  wait: untilStatus('RUNNING'),
  examples: [
    [
      'berth pods create --name lab --gpu GPU-24G --image example/pytorch:2.8 --wait',
      'one GPU, and wait until it runs',
    ],
    [
      'berth pods create --name web --cpu cpu-general --vcpu 4 --image example/web --port 8080/http',
      'a CPU pod with a port',
    ],
    [
      'berth pods create --name lab2 --file pod.yaml --network-volume data:/workspace',
      'like another one, with a volume',
    ],
  ],
});

/**
 * A pod as it was printed, as a create takes it. Its template is not asked for again: what came of it is in the pod, and
 * may have been changed since.
 */
function asCreated({ dataCenterId, globalNetworking, ...pod }: JsonObject): JsonObject {
  const hardware = Object.fromEntries(
    Object.entries(pod).filter(([name, value]) => value !== null || name === 'registry'),
  );
  return {
    ...hardware,
    ...(typeof dataCenterId === 'string' ? { dataCenterIds: [dataCenterId] } : {}),
    ...asSwitch(globalNetworking),
  };
}

/** An answer says more of global networking than whether it is wanted (specification 2.2). */
export const asSwitch = (globalNetworking: Json | undefined): JsonObject =>
  isObject(globalNetworking)
    ? { globalNetworking: globalNetworking['enabled'] ?? false }
    : globalNetworking === undefined
      ? {}
      : { globalNetworking };

/** By the catalog: US dollars an hour of one GPU on that cloud, or of one vCPU; nothing where it knows none. */
async function perHour(ctx: CommandContext, body: JsonObject): Promise<string | undefined> {
  const cloud = stringOf(body['cloud']) ?? 'SECURE';
  const gpu = stringOf(memberAt(body, 'gpu.id'));
  const cpu = stringOf(memberAt(body, 'cpu.id'));
  const [lookup, id, count, member] =
    gpu === undefined
      ? ([CPUS, cpu ?? '', numberOf(memberAt(body, 'cpu.vcpuCount')), 'price.securePerVcpu'] as const)
      : ([GPUS, gpu, numberOf(memberAt(body, 'gpu.count')) ?? 1, `price.${cloud.toLowerCase()}`] as const);
  const price = numberOf(memberAt(await catalogRow(ctx, lookup, id), member));
  if (price === undefined || price === 0 || count === undefined) return undefined;
  const hardware = gpu === undefined ? `${String(count)} vCPU of ${id}` : `${String(count)} x ${id}`;
  return `${hardware} on the ${cloud} cloud costs ${formatDollars(price * count)} an hour until it is stopped.`;
}

const NONE = '';

/** Where, and which volume of there: both can be left open. A list that cannot be had is not offered. */
async function placeAndVolume(ctx: CommandContext, body: JsonObject): Promise<JsonObject> {
  if (body['dataCenterIds'] !== undefined) return body;
  const place = await pickOr(
    ctx,
    'Data center',
    'wherever there is one',
    await choices(ctx, DATA_CENTERS, (row) => [text('name')(row)]),
  );
  if (place === NONE) return body;
  const placed = { ...body, dataCenterIds: [place] };
  if (body['mounts'] !== undefined || body['cloud'] === 'COMMUNITY') return placed;
  const there = await choices(
    ctx,
    VOLUMES,
    (row) => [text('name')(row), gigabytes('size')(row)],
    (row) => memberAt(row, 'dataCenter') === place,
  );
  const volumeId = await pickOr(ctx, 'Network volume', 'none', there);
  return volumeId === NONE ? placed : { ...placed, mounts: { network: [{ volumeId, path: '/workspace' }] } };
}

async function pickOr(
  ctx: CommandContext,
  question: string,
  none: string,
  choices: readonly Choice<string>[],
): Promise<string> {
  return choices.length === 0 ? NONE : await ctx.prompts.select(question, [{ name: none, value: NONE }, ...choices]);
}

async function choices(
  ctx: CommandContext,
  lookup: typeof VOLUMES,
  words: (row: Json) => readonly string[],
  keep: (row: Json) => boolean = () => true,
): Promise<readonly Choice<string>[]> {
  try {
    return (await listRows(ctx, lookup)).values.filter(keep).flatMap((row) => {
      const id = stringOf(memberAt(row, 'id'));
      return id === undefined ? [] : [{ name: [id, ...words(row)].join('  '), value: id }];
    });
  } catch (error) {
    if (!(error instanceof Failure) || ctx.signal.aborted) throw error;
    return [];
  }
}
