/** The plan of one round, generated from its seed: the input, the options of the batch and the events of each run. */
import { createRandom, roundSeed } from './random.mjs';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;
const JUMPS_MS = [-10 * DAY, -3 * HOUR, -61 * SECOND, -5 * SECOND, 61 * SECOND, 3 * HOUR, 10 * DAY];

/** Events during a run of the batch, with their weights. */
const DURING = {
  kill: 8,
  interrupt: 5,
  'service-kill': 5,
  fault: 7,
  'batch-jump': 5,
  'service-jump': 4,
  'input-edit': 4,
  'files-away': 2,
  upgrade: 3,
  pause: 3,
  'service-pause': 2,
  'second-driver': 3,
};

/** Events between two runs of the batch, with their weights. */
const BETWEEN = {
  nothing: 6,
  'batch-jump': 3,
  'service-jump': 2,
  'service-restart': 3,
  'advance-clock': 1,
};

const EDITS = ['in-place', 'append', 'cut'];
const FAULTS = ['rate-limit', 'server-error', 'latency', 'drop', 'accept-drop'];

function weighted(random, table) {
  const all = Object.values(table).reduce((sum, weight) => sum + weight, 0);
  let left = random.next() * all;
  for (const [name, weight] of Object.entries(table)) {
    left -= weight;
    if (left < 0) return name;
  }
  return Object.keys(table)[0];
}

/**
 * Faults are few, so that the batch does not stop, which it does after 20 lost requests in a row, and does not become too slow:
 * its rate halves with each lost request, and the wait after several in a row grows to half a minute.
 */
function drawFault(random, endpoint) {
  const kind = random.pick(FAULTS);
  const match = random.pick([`POST /v2/${endpoint}/run`, `GET /v2/${endpoint}/status`]);
  const fault = { kind, match, count: random.int(1, 8), probability: random.pick([0.1, 0.3]) };
  if (kind === 'rate-limit') fault.retryAfter = random.int(1, 2);
  if (kind === 'server-error') fault.status = random.pick([500, 502, 503, 504]);
  if (kind === 'latency') fault.latencyMs = random.int(10, 400);
  return fault;
}

/** A time after the start of the process, or a short delay after a fraction of the batch is done. */
function drawMoment(random) {
  return random.chance(0.2)
    ? { afterMs: random.int(0, 500) }
    : { progress: random.next() * 0.95, delayMs: random.int(0, 120) };
}

function drawDuring(random, endpoint) {
  const kind = weighted(random, DURING);
  const event = { kind, moment: drawMoment(random) };
  switch (kind) {
    case 'interrupt':
      return { ...event, signal: random.pick(['SIGINT', 'SIGTERM', 'SIGHUP']) };
    case 'service-kill':
      return { ...event, downMs: random.int(0, 1200) };
    case 'fault':
      return { ...event, fault: drawFault(random, endpoint) };
    case 'batch-jump':
    case 'service-jump':
      return { ...event, byMs: random.pick(JUMPS_MS) };
    case 'input-edit':
      return { ...event, edit: random.pick(EDITS), at: random.next() };
    case 'files-away':
      return { ...event, file: random.pick(['results', 'journal']) };
    case 'upgrade':
      return { ...event, gapMs: random.pick([0, 0, 200, 800]) };
    case 'pause':
      return { ...event, forMs: random.int(100, 1500), second: random.chance(0.5) };
    case 'service-pause':
      return { ...event, forMs: random.int(100, 2500) };
    default:
      return event;
  }
}

function drawBetween(random) {
  const kind = weighted(random, BETWEEN);
  if (kind === 'batch-jump' || kind === 'service-jump') return { kind, byMs: random.pick(JUMPS_MS) };
  if (kind === 'advance-clock') return { kind, byMs: random.pick([61 * SECOND, 31 * 60 * SECOND]) };
  if (kind === 'service-restart') return { kind, signal: random.pick(['SIGINT', 'SIGTERM']) };
  return { kind };
}

function drawRun(random, endpoint) {
  const events = Array.from({ length: random.int(1, 3) }, () => drawDuring(random, endpoint));
  // Without a kill the first run would complete the batch and leave nothing for later runs.
  if (random.chance(0.5)) events.push({ kind: 'kill', moment: drawMoment(random) });
  return {
    events,
    twoAtOnce: random.chance(0.06),
    ignoreHangUp: random.chance(0.15),
    // Blocks of 512 bytes by which a file may grow.
    fullDisk: random.chance(0.08) ? random.int(0, 20) : undefined,
    maxSeconds: random.chance(0.05) ? random.int(1, 3) : undefined,
    resubmitUnknown: random.chance(0.08),
    before: drawBetween(random),
  };
}

/** The plan of a round of the campaign with this seed. */
export function drawPlan(seed, round) {
  const random = createRandom(roundSeed(seed, round));
  const items = random.int(60, 150);
  // `work` runs the handler of the campaign, which is slower and can fail; `echo` answers at once.
  const endpoint = random.pick(['work', 'echo']);
  return {
    round,
    endpoint,
    items,
    failing: endpoint === 'work' && random.chance(0.5) ? random.int(1, 5) : 0,
    // Text of a line that is not sent: a longer input is read in chunks while the batch runs.
    padBytes: random.pick([0, 500, 8000, 16_000]),
    workMs: random.pick([0, 5, 20]),
    rate: random.pick([40, 60, 99]),
    ordered: random.chance(0.25),
    inFlight: random.chance(0.3) ? random.int(3, 30) : undefined,
    retryFailed: random.chance(0.3) ? 1 : undefined,
    seed: roundSeed(seed, round),
    runs: Array.from({ length: random.int(2, 4) }, () => drawRun(random, endpoint)),
  };
}
