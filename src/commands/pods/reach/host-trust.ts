import type { ReachablePod } from './reach-pod.ts';

/**
 * The options with which ssh trusts a pod: its host key is kept by pod and start in a file of berth's own, because
 * each start is a new container with a new key. The key of a start that was not seen before is accepted and kept; another key
 * within one start is refused. Connections are not shared: a shared one goes stale when the pod restarts.
 */
export const trustOptions = (
  { id, start }: Pick<ReachablePod, 'id' | 'start'>,
  knownHosts: string,
): readonly string[] =>
  [
    `UserKnownHostsFile=${quotedPath(knownHosts)}`,
    'GlobalKnownHostsFile=none',
    `HostKeyAlias=${hostKeyAlias(id, start)}`,
    'StrictHostKeyChecking=accept-new',
    'CheckHostIP=no',
    'UpdateHostKeys=no',
    'ControlMaster=no',
    'ControlPath=none',
  ].flatMap((option) => ['-o', option]);

/** Letters, digits and points only, so that it is one name to ssh: `berth.pod-1.20261124T093132`. */
const hostKeyAlias = (id: string, start: string): string =>
  ['berth', id, start].map((part) => part.replace(/[^A-Za-z0-9-]/g, '')).join('.');

/** A path as a value of ssh: quoted, and without tokens of ssh. */
export const quotedPath = (path: string): string =>
  `"${path.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replaceAll('%', '%%')}"`;
