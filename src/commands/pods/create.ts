import type { Choice } from '../../core/context.ts';
import { Failure } from '../../core/failure.ts';
import { isObject, memberAt, numberOf, stringOf, type Json, type JsonObject } from '../../core/json.ts';
import { formatDollars } from '../../core/units.ts';
import type { CommandContext } from '../../cli/context.ts';
import type { Collection } from '../../cli/resource/identity/collection.ts';
import { listRows } from '../../cli/resource/read.ts';
import { createCommand } from '../../cli/resource/write.ts';
import { gigabytes, text } from '../../output/layout/cells.ts';
import { bodyOf } from '../../cli/resource/field-writes.ts';
import { catalogRow } from '../shared/pickers.ts';
import { CPUS, DATA_CENTERS, GPUS, REGISTRIES, TEMPLATES, VOLUMES } from '../shared/collections.ts';
import { checkCreate } from './body-checks.ts';
import { POD_TABLE } from './fields.ts';
import { PODS, podNotes } from './resource.ts';
import { untilStatus } from './wait.ts';

/** Members of a body that hold the id of something else, where a name works too (contract rules, Pods). */
export const REFERENCES = {
  templateId: TEMPLATES,
  registry: REGISTRIES,
  'mounts.network.0.volumeId': VOLUMES,
} as const;

export const create = createCommand(PODS, 'pods', {
  summary: 'create a pod',
  details:
    'A pod has exactly one of --gpu and --cpu, and an image, of its own or from a template. What berth pods get -o yaml printed can be changed and fed back with --file. A network volume is mounted where the volume is, on the SECURE cloud.',
  ...bodyOf(POD_TABLE, 'create'),
  needed: ['name', ['gpu', 'cpu'], ['image', 'template']],
  exclusive: [
    ['gpu', 'cpu'],
    ['cuda', 'minCuda'],
    ['networkVolume', 'persistentSize'],
  ],
  setExample: 'gpu.count=2',
  adapt: asCreateBody,
  references: REFERENCES,
  check: checkCreate,
  offer: offerPlaceAndVolume,
  price: hourlyPrice,
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
 * Turns a pod as `get` prints it into the body of a create. The template is left out: its settings are in the pod, and
 * may have been changed since.
 */
function asCreateBody({ dataCenterId, globalNetworking, ...pod }: JsonObject): JsonObject {
  const hardware = Object.fromEntries(
    Object.entries(pod).filter(([name, value]) => value !== null || name === 'registry'),
  );
  return {
    ...hardware,
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

/** A sentence with the price from the catalog, in US dollars an hour; undefined where the catalog has no price. */
async function hourlyPrice(ctx: CommandContext, body: JsonObject): Promise<string | undefined> {
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

/** Offers a data center and a network volume in it; both may be declined. A list that cannot be read is not offered. */
async function offerPlaceAndVolume(ctx: CommandContext, body: JsonObject): Promise<JsonObject> {
  if (body['dataCenterIds'] !== undefined) return body;
  const place = await pickOrSkip(
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
  const volumeId = await pickOrSkip(ctx, 'Network volume', 'none', there);
  return volumeId === NONE ? placed : { ...placed, mounts: { network: [{ volumeId, path: '/workspace' }] } };
}

async function pickOrSkip(
  ctx: CommandContext,
  question: string,
  none: string,
  choices: readonly Choice<string>[],
): Promise<string> {
  return choices.length === 0 ? NONE : await ctx.prompts.select(question, [{ name: none, value: NONE }, ...choices]);
}

async function choices(
  ctx: CommandContext,
  lookup: Collection,
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
