import { isObject, memberAt, numberOf, objectOf, stringOf, type Json } from '../../core/json.ts';
import { age, status, text } from '../../output/layout/cells.ts';
import type { Facts, Section, Shown, View } from '../../output/view.ts';
import { otherMembers } from '../../cli/resource/detail-lines.ts';
import { podView } from '../pods/view.ts';

/** `GPU-80G x8 on 4 pods`. */
function compute(row: Json): Shown {
  const each = objectOf(memberAt(row, 'compute'));
  return each === undefined
    ? undefined
    : `${text('gpuTypeId')(each)} x${text('gpuCountPerPod')(each)} on ${text('podCount')(each)} pods`;
}

/** `4 RUNNING`, `3 RUNNING, 1 STARTING`. */
const pods = (row: Json): readonly string[] =>
  Object.entries(objectOf(memberAt(row, 'pods.byStatus')) ?? {}).flatMap(([name, count]) =>
    count === 0 ? [] : [`${text(name)(objectOf(memberAt(row, 'pods.byStatus')) ?? {})} ${name}`],
  );

const KNOWN = 'id name type compute template dataCenterId pods network primary createdAt'.split(' ');

export const clusterView: View = {
  noun: ['cluster', 'clusters'],
  id: (row) => stringOf(memberAt(row, 'id')) ?? '',
  members: KNOWN,
  columns: [
    { header: 'ID', show: text('id') },
    { header: 'NAME', show: text('name') },
    { header: 'TYPE', show: text('type') },
    { header: 'COMPUTE', show: compute },
    { header: 'PODS', show: pods },
    { header: 'DATA CENTER', show: text('dataCenterId') },
    { header: 'AGE', show: age('createdAt'), right: true },
  ],
  detail: (row, facts) => [
    {
      lines: [
        { label: 'id', value: text('id')(row) },
        { label: 'name', value: text('name')(row) },
        { label: 'type', value: text('type')(row) },
        { label: 'compute', value: compute(row) },
        { label: 'data center', value: text('dataCenterId')(row) },
        { label: 'template', value: text('template')(row) },
        { label: 'created', value: created(row, facts) },
      ],
    },
    {
      title: 'pods',
      lines: [
        { label: 'total', value: text('pods.total')(row) },
        { label: 'status', value: pods(row) },
      ],
    },
    ...part(row, 'primary', [
      { label: 'pod', value: text('primary.podId')(row) },
      { label: 'status', value: status('primary.status')(row) },
      { label: 'ssh', value: text('primary.sshEndpoint')(row) },
    ]),
    ...part(row, 'network', [
      { label: 'cidr', value: text('network.cidr')(row) },
      { label: 'vxlan id', value: text('network.vxlanId')(row) },
      { label: 'vxlan port', value: text('network.vxlanPort')(row) },
    ]),
    { lines: otherMembers(row, KNOWN) },
  ],
};

/** A section only where the cluster has that part. */
const part = (row: Json, title: string, lines: Section['lines']): readonly Section[] =>
  isObject(memberAt(row, title)) ? [{ title, lines }] : [];

function created(row: Json, facts: Facts): string {
  const shown = age('createdAt')(row, facts);
  return text('createdAt')(row) + (shown === '' ? '' : ` (${shown} ago)`);
}

/** Pods as pods are shown, and what each is in its cluster. */
export const memberView: View = {
  ...podView,
  columns: [
    { header: 'RANK', show: text('cluster.rank'), right: true },
    { header: 'ROLE', show: text('cluster.role') },
    { header: 'IP', show: text('cluster.ip') },
    ...podView.columns,
  ],
};

/** Pods in a status. */
export const countIn = (row: Json, name: string): number => numberOf(memberAt(row, `pods.byStatus.${name}`)) ?? 0;
