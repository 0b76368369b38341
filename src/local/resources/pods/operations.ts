import type { Bytes, EpochMs, Milliseconds } from '../../../core/unit-types.ts';
import { badRequest, conflict, forbidden, NO_ROOM, tooLarge } from '../../contract/problem.ts';
import { isPodKey } from '../../http/admission.ts';
import { type Call, found, operation, type Operation, steps } from '../../http/operation.ts';
import { listed } from '../../http/pages.ts';
import { LAST_WORDS } from '../../model/container.ts';
import { type PodEvent, type PodRecord, pods, presentPods } from '../../model/pods.ts';
import { isTaken } from '../../model/hardware.ts';
import { containerLine, linesOfFailedStart, type LogLine, logStream, systemLine } from '../log-stream.ts';
import { bootNote, createPod, type CreatePodBody, updatePod, type UpdatePodBody } from './configure.ts';
import {
  ACTIONS,
  applyAction,
  type PodAction,
  podDocument,
  PROVISIONING_MS,
  STARTING_MS,
  statusAt,
} from './document.ts';
import { readableTemplate } from '../templates.ts';
import type { State } from '../../state/state.ts';

/** Of the body, and of the request made of it and its template (additions 3). */
const MAX_CREATE_BYTES: Bytes = 102_400;

function checkSize(state: State, bodyText: string): void {
  let size = Buffer.byteLength(bodyText);
  try {
    const body = JSON.parse(bodyText) as CreatePodBody;
    const { image, args, disk, ports, registry, mounts, env } = readableTemplate(state, body.templateId ?? '') ?? {};
    const filled = { image, args, disk, ports, registry, mounts, ...body, env: { ...env, ...body.env } };
    size = Math.max(size, Buffer.byteLength(JSON.stringify(filled)));
  } catch {
    // Refused by its schema.
  }
  if (size > MAX_CREATE_BYTES)
    throw tooLarge(`the request, with its template, is larger than ${String(MAX_CREATE_BYTES)} bytes`);
}

type Launch = Extract<PodEvent, { kind: 'launch' }>;
type StatusEvent = Exclude<PodEvent, { kind: 'storage' }>;

const CONTAINER_INTERVAL_MS: Milliseconds = 10_000;
const WAITING_INTERVAL_MS = 30_000;

/** Lines with `from <= at < to`, in order, computed from its history only. */
export function podLines(pod: PodRecord, from: number, to: number): readonly LogLine[] {
  const events = pod.history.filter((event) => event.kind !== 'storage');
  return events.flatMap((event, index) => {
    const end = events[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    if (Math.max(end - 1, event.at) < from || event.at >= to) return [];
    return linesFrom(pod, event, Math.max(from, event.at), Math.min(to, end)).filter(
      // The line of the event itself is kept even when the next event happened in the same millisecond.
      ({ at }) => at >= from && at < to && (at < end || at === event.at),
    );
  });
}

function linesFrom(pod: PodRecord, event: StatusEvent, from: number, to: number): readonly LogLine[] {
  switch (event.kind) {
    case 'launch':
      return linesOfLaunch(pod, event, from, to);
    case 'stop':
      return [systemLine(event.at, 'container stopped')];
    case 'fail':
      return linesOfFailedStart(event.at, event.lastLine ?? LAST_WORDS);
    case 'terminate':
      return [systemLine(event.at, 'pod terminated')];
  }
}

function linesOfLaunch(pod: PodRecord, launch: Launch, from: number, to: number): readonly LogLine[] {
  const { at, image, held, fails, restart, changed, fromSecrets = [], unresolved = [] } = launch;
  const lines: LogLine[] = [];
  const say = (time: number, line: string): number => lines.push(systemLine(time, line));
  /** Counted from 1; only those with `from <= at < to`. */
  const sayEvery = (ms: Milliseconds, start: number, textOf: (count: number) => string, lineOf = systemLine): void => {
    for (let count = Math.max(1, Math.ceil((from - start) / ms)); start + count * ms < to; count++)
      lines.push(lineOf(start + count * ms, textOf(count)));
  };
  let starting = at;
  if (restart !== true) {
    starting += PROVISIONING_MS;
    const { gpu, cpu, dataCenterId } = pod;
    say(
      at,
      `looking for a machine with ${gpu === undefined ? `CPU ${cpu?.id ?? ''}` : `${String(gpu.count)} x ${gpu.id}`}`,
    );
    if (held === 'PROVISIONING') {
      sayEvery(WAITING_INTERVAL_MS, at, () => 'still waiting for a machine');
      return lines;
    }
    say(at + 800, `found one in ${dataCenterId}`);
    say(starting - 500, `pulling image ${image}`);
    if (held === 'STARTING') {
      sayEvery(WAITING_INTERVAL_MS, starting, () => 'still pulling the image');
      return lines;
    }
  } else if (changed === true)
    say(at, 'the configuration has changed: the container is replaced, and what is outside its mounts is gone');
  else say(at, 'restarting the container');
  say(starting + 500, `creating the container from ${image}`);
  if (fromSecrets.length > 0) say(starting + 500, `variables from secrets: ${fromSecrets.join(', ')}`);
  if (unresolved.length > 0) say(starting + 500, `there is no secret for ${unresolved.join(', ')}`);
  const running = starting + STARTING_MS;
  if (fails === true) return [...lines, ...linesOfFailedStart(running, LAST_WORDS)];
  say(running, 'container started');
  lines.push(containerLine(running, 'ready'));
  sayEvery(CONTAINER_INTERVAL_MS, running, pod.gpu === undefined ? heartbeat : trainingStep, containerLine);
  return lines;
}

const heartbeat = (count: number): string => `heartbeat ${String(count)}`;

const trainingStep = (count: number): string =>
  `step ${String(count)} loss=${(0.4 + 4 / Math.sqrt(count)).toFixed(4)} lr=3.0e-04`;

function find(state: State, call: Call, now: EpochMs): PodRecord {
  const pod = pods.get(state, call.params['id'] ?? '');
  return found(pod?.life.kind === 'terminated' ? undefined : pod, call, now, 'pod not found');
}

function checkNotClusterMember(pod: PodRecord): void {
  if (pod.cluster !== undefined) throw conflict(`the pod is a member of cluster ${pod.cluster.id}`);
}

/** A pod keeps its machine, whose GPUs others may have taken: throws the 400 Problem (additions 3). */
function checkFreeGpus(state: State, pod: PodRecord, now: EpochMs): void {
  const { gpu, dataCenterId } = pod;
  if (!ACTIONS[statusAt(pod, now)].includes('start')) return;
  if (gpu !== undefined && isTaken(state, gpu.id, dataCenterId, gpu.count)) throw badRequest(NO_ROOM.host);
}

/** Pods (specification 2.1 to 2.3, 3.1; contract rules, Pods). */
export const podOperations: readonly Operation[] = [
  ...steps({
    listPods: (state, call, now) => {
      // Members leave the page after it was cut: it may be short, or empty, with more to come.
      const includeMembers = call.query.get('includeClusterPods') === 'true';
      const documentsOf = (pod: PodRecord) =>
        includeMembers || pod.cluster === undefined ? [podDocument(pod, now, call.addressOf)] : [];
      return listed('pods', presentPods(state), documentsOf, state, call, now);
    },
    getPod: (state, call, now) => podDocument(find(state, call, now), now, call.addressOf),
    updatePod: (state, call, now) => {
      const pod = find(state, call, now);
      checkNotClusterMember(pod);
      updatePod(state, pod, call.body as UpdatePodBody, now, call.settings);
      return podDocument(pod, now, call.addressOf);
    },
    deletePod: (state, call, now) => {
      const pod = find(state, call, now);
      checkNotClusterMember(pod);
      applyAction(pod, 'terminate', now);
    },
    podAction: (state, call, now) => {
      const { action } = call.body as { action: PodAction };
      // The key of a pod stops it and nothing else.
      if (isPodKey(call.keyId) && action !== 'stop') throw forbidden();
      const pod = find(state, call, now);
      if (action === 'terminate') checkNotClusterMember(pod);
      if (action === 'start') checkFreeGpus(state, pod, now);
      applyAction(pod, action, now, bootNote(state, call.settings, pod));
      if (action === 'start') {
        delete pod.withoutGpu;
        if (call.takeFault(state, ['pod-start']) !== undefined) pod.withoutGpu = true;
      }
      return action === 'terminate' ? undefined : podDocument(pod, now, call.addressOf);
    },
  }),
  ...steps({
    createPod: (state, call, now) => {
      const pod = createPod(state, now, call.body as CreatePodBody, call.settings);
      return podDocument(pod, now, call.addressOf);
    },
  }).map((create) => ({ ...create, checkSize })),
  operation('getPodLogs', (call) =>
    logStream(call, {
      begin: (state, now) => find(state, call, now).createdAt,
      lines: (state, from, to) => {
        const pod = pods.get(state, call.params['id'] ?? '');
        return pod === undefined ? [] : podLines(pod, from, to);
      },
    }),
  ),
];
