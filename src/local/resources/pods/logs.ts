import type { LogLine } from '../log-stream.ts';
import type { PodEvent, PodRecord } from '../../model/pods/record.ts';
import { PROVISIONING_MS, STARTING_MS } from './transitions.ts';

type Launch = Extract<PodEvent, { kind: 'launch' }>;
type End = Exclude<PodEvent, { kind: 'storage' }>;

/** How often a container that runs says something, and a pod that waits: milliseconds. */
const BEAT_MS = 10_000;
const WAIT_MS = 30_000;

/** What a broken program prints: colour, a title, the clipboard, the direction of writing. */
const HOSTILE_LINE = 'fatal \u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b]52;c;ZXZpbA==\u0007 \u202egnp.exe\u202c';

/** Every line a pod logs with `from <= at < to`, in order: a function of its history alone. */
export function podLines(pod: PodRecord, from: number, to: number): readonly LogLine[] {
  const events = pod.history.filter((event) => event.kind !== 'storage');
  return events.flatMap((event, index) => {
    const end = events[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    if (Math.max(end - 1, event.at) < from || event.at >= to) return [];
    return linesFrom(pod, event, Math.max(from, event.at), Math.min(to, end)).filter(
      // What happened goes by itself in its moment, even where the next thing happened in the same one.
      ({ at }) => at >= from && at < to && (at < end || at === event.at),
    );
  });
}

/** What follows from one event until the next. */
function linesFrom(pod: PodRecord, event: End, from: number, to: number): readonly LogLine[] {
  switch (event.kind) {
    case 'launch':
      return launched(pod, event, from, to);
    case 'stop':
      return [system(event.at, 'container stopped')];
    case 'fail':
      return [container(event.at, HOSTILE_LINE), system(event.at, 'container exited with code 1: it does not start')];
    case 'terminate':
      return [system(event.at, 'pod terminated')];
  }
}

function launched(pod: PodRecord, launch: Launch, from: number, to: number): readonly LogLine[] {
  const { at, image, held } = launch;
  const wanted = pod.gpu === undefined ? `CPU ${pod.cpu?.id ?? ''}` : `${String(pod.gpu.count)} x ${pod.gpu.id}`;
  const search = system(at, `looking for a machine with ${wanted}`);
  if (held === 'PROVISIONING')
    return [search, ...every(WAIT_MS, at, from, to, () => 'still waiting for one', 'system')];
  const found = [
    search,
    system(at + 800, `found one in ${pod.dataCenterId}`),
    system(at + PROVISIONING_MS - 500, `pulling image ${image}`),
  ];
  if (held === 'STARTING')
    return [...found, ...every(WAIT_MS, at + PROVISIONING_MS, from, to, () => 'still pulling the image', 'system')];
  const starting = launch.restart === true ? at : at + PROVISIONING_MS;
  const running = starting + STARTING_MS;
  return [
    ...(launch.restart === true ? [system(at, 'restarting the container')] : [...found]),
    system(starting + 500, `creating the container from ${image}`),
    system(running, 'container started'),
    container(running, 'ready'),
    ...every(BEAT_MS, running, from, to, pod.gpu === undefined ? beat : trainingStep, 'container'),
  ];
}

const beat = (count: number): string => `heartbeat ${String(count)}`;

const trainingStep = (count: number): string =>
  `step ${String(count)} loss=${(0.4 + 4 / Math.sqrt(count)).toFixed(4)} lr=3.0e-04`;

/** A line every so often after `start`, as far as they fall from `from` up to, not including, `to`; counted from 1. */
function every(
  span: number,
  start: number,
  from: number,
  to: number,
  say: (count: number) => string,
  source: LogLine['source'],
): readonly LogLine[] {
  const lines: LogLine[] = [];
  for (let count = Math.max(1, Math.ceil((from - start) / span)); start + count * span < to; count++)
    lines.push({ at: start + count * span, source, line: say(count) });
  return lines;
}

const system = (at: number, line: string): LogLine => ({ at, source: 'system', line });
const container = (at: number, line: string): LogLine => ({ at, source: 'container', line });
