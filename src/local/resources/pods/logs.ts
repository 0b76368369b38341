import { containerLine, linesOfFailedStart, systemLine, type LogLine } from '../logs/log-stream.ts';
import type { PodEvent, PodRecord } from '../../model/pods/record.ts';
import { LAST_WORDS } from '../../model/images.ts';
import { PROVISIONING_MS, STARTING_MS } from './transitions.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';

type Launch = Extract<PodEvent, { kind: 'launch' }>;
type StatusEvent = Exclude<PodEvent, { kind: 'storage' }>;

/** How often a running container and a waiting pod log a line. */
const CONTAINER_INTERVAL_MS: Milliseconds = 10_000;
const WAITING_INTERVAL_MS = 30_000;

/** A pod's log lines with `from <= at < to`, in order, computed from its history only. */
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

/** The lines from one event until the next. */
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
  const { at, image, held, fails, fromSecrets = [], unresolved = [] } = launch;
  const hardware = pod.gpu === undefined ? `CPU ${pod.cpu?.id ?? ''}` : `${String(pod.gpu.count)} x ${pod.gpu.id}`;
  const search = systemLine(at, `looking for a machine with ${hardware}`);
  if (held === 'PROVISIONING')
    return [search, ...linesEvery(WAITING_INTERVAL_MS, at, from, to, () => 'still waiting for one', 'system')];
  const foundLines = [
    search,
    systemLine(at + 800, `found one in ${pod.dataCenterId}`),
    systemLine(at + PROVISIONING_MS - 500, `pulling image ${image}`),
  ];
  if (held === 'STARTING')
    return [
      ...foundLines,
      ...linesEvery(WAITING_INTERVAL_MS, at + PROVISIONING_MS, from, to, () => 'still pulling the image', 'system'),
    ];
  const starting = launch.restart === true ? at : at + PROVISIONING_MS;
  const running = starting + STARTING_MS;
  return [
    ...(launch.restart === true ? [systemLine(at, restartText(launch))] : [...foundLines]),
    systemLine(starting + 500, `creating the container from ${image}`),
    ...(fromSecrets.length > 0
      ? [systemLine(starting + 500, `variables from secrets: ${fromSecrets.join(', ')}`)]
      : []),
    ...(unresolved.length > 0 ? [systemLine(starting + 500, `there is no secret for ${unresolved.join(', ')}`)] : []),
    ...(fails === true ? linesOfFailedStart(running, LAST_WORDS) : linesOfContainer(pod, running, from, to)),
  ];
}

const restartText = ({ changed }: Launch): string =>
  changed === true
    ? 'the configuration has changed: the container is replaced, and what is outside its mounts is gone'
    : 'restarting the container';

/** The lines of a container that runs since `running`. */
function linesOfContainer(pod: PodRecord, running: number, from: number, to: number): readonly LogLine[] {
  return [
    systemLine(running, 'container started'),
    containerLine(running, 'ready'),
    ...linesEvery(
      CONTAINER_INTERVAL_MS,
      running,
      from,
      to,
      pod.gpu === undefined ? heartbeat : trainingStep,
      'container',
    ),
  ];
}

const heartbeat = (count: number): string => `heartbeat ${String(count)}`;

const trainingStep = (count: number): string =>
  `step ${String(count)} loss=${(0.4 + 4 / Math.sqrt(count)).toFixed(4)} lr=3.0e-04`;

/** Lines at a regular interval after `start`, counted from 1; only those with `from <= at < to`. */
function linesEvery(
  intervalMs: Milliseconds,
  start: number,
  from: number,
  to: number,
  textOf: (count: number) => string,
  source: LogLine['source'],
): readonly LogLine[] {
  const lines: LogLine[] = [];
  for (let count = Math.max(1, Math.ceil((from - start) / intervalMs)); start + count * intervalMs < to; count++)
    lines.push({ at: start + count * intervalMs, source, line: textOf(count) });
  return lines;
}
