import { isDeepStrictEqual } from 'node:util';
import { encodeJson, type Json, type JsonObject, memberAt, stringAt } from '../../core/json.ts';
import { changedCommand, COMMAND_MEMBERS } from '../shared/container/container-command.ts';
import { labelOf } from '../../cli/resource/choose.ts';

/** The members of a pod whose change restarts its container (additions 5; a template brings new ones). */
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

/**
 * What an update does to a pod that runs: `Pod pod-1 (lab) is RUNNING: a change of image and env restarts its container ...`.
 * Undefined where it does not run, or nothing that restarts it differs from what it has. Fails as the read of the pod.
 */
export async function restartSentence(
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

/** Whether a member has the value already; the order of ports means nothing. */
function isSame(member: string, before: Json | undefined, after: Json | undefined): boolean {
  const plain = (value: Json | undefined): unknown => {
    const decoded: unknown = JSON.parse(encodeJson(value ?? null));
    return member === 'ports' && Array.isArray(decoded) ? decoded.map(String).toSorted() : decoded;
  };
  return isDeepStrictEqual(plain(before), plain(after));
}
