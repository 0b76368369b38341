import { memberAt, numberAt, stringAt, type Json, type JsonObject } from '../../../core/json.ts';
import { formatDollars } from '../../../core/units.ts';
import { podsOfKey } from '../../../create/key.ts';
import { isSame } from '../../../fleet/differences.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { listRequest } from '../../../cli/resource/identity/requests.ts';
import { readList } from '../../../cli/resource/pages/read-list.ts';
import { idOf } from '../../../output/view.ts';
import { PODS } from '../collections.ts';

/** What a create asks for. */
export interface Asked {
  readonly body: JsonObject;
  /** The GPU types that will do; undefined for the one of the body. */
  readonly gpus?: readonly string[] | undefined;
}

/** The members of a create that its pod shows as they were sent. What a template fills in is not compared. */
const SHOWN = ['name', 'image', 'gpu.count', 'cpu.id', 'cpu.vcpuCount', 'disk', 'cloud', 'ports'];

/** Says that the pod of a key is there, what it costs, and in what it differs from what is asked for. */
export function podOfKey(pod: Json, key: string, { body, gpus }: Asked): string {
  const cost = numberAt(pod, 'cost');
  const price = cost === undefined ? '' : `, and costs ${formatDollars(cost)} an hour`;
  const there = `Pod ${shownPod(pod)} has the key ${key}${price}: no other is created.`;
  const differing = SHOWN.filter((path) => {
    const [before, after] = [memberAt(pod, path), memberAt(body, path)];
    return before !== undefined && after !== undefined && !isSame(before, after, path === 'ports');
  });
  const [gpu, wanted] = [stringAt(pod, 'gpu.id'), gpus ?? [stringAt(body, 'gpu.id')]];
  const isOtherGpu = gpu !== undefined && wanted.every((each) => each !== undefined && each !== gpu);
  const all = [...(isOtherGpu ? ['gpu.id'] : []), ...differing];
  return all.length === 0 ? there : `${there} It is not what is asked for now: other ${all.join(', ')}.`;
}

/** The oldest pod with a key, as the list is now; undefined where there is none. Fails as the reading of the whole list does. */
export async function readPodOfKey(ctx: CommandContext, key: string): Promise<Json | undefined> {
  const { values } = await readList(ctx.api, listRequest(PODS));
  return podsOfKey(values, key)[0];
}

/** Which of the candidates a pod became, and what it costs: `Pod pod-1 (lab) has 1 x GPU-24G in EU-WEST-1, for $0.69 an hour.` */
export function whereItIs(pod: Json): string {
  const [gpu, count = 1] = [stringAt(pod, 'gpu.id'), numberAt(pod, 'gpu.count')];
  const [dataCenter, cost] = [stringAt(pod, 'dataCenterId'), numberAt(pod, 'cost')];
  const hardware = gpu === undefined ? '' : ` has ${count} x ${gpu}`;
  const place = dataCenter === undefined ? '' : ` in ${dataCenter}`;
  return `Pod ${shownPod(pod)}${hardware}${place}${cost === undefined ? '' : `, for ${formatDollars(cost)} an hour`}.`;
}

/** The name of the pod, for messages. */
export const shownPod = (pod: Json): string => {
  const name = stringAt(pod, 'name');
  return name === undefined ? idOf(pod) : `${idOf(pod)} (${name})`;
};
