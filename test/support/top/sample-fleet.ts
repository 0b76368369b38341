import type { Json } from '../../../src/core/json.ts';
import { Fleet } from '../../../src/commands/top/fleet.ts';
import { frameLines, type Ui } from '../../../src/commands/top/frame.ts';
import { type Paint, unpainted } from '../../../src/output/text/colour.ts';

/** The service's time of the sample. */
export const NOW = Date.UTC(2026, 0, 3, 12);
/** The monotonic time of the last reading, in milliseconds. */
export const LAST = 60_000;
/** Milliseconds between two readings. */
const TICK = 2000;

const pod = (id: string, name: string, status: string, rest: Json): Json => ({
  id,
  name,
  status,
  createdAt: '2026-01-01T00:00:00Z',
  ...(rest as object),
});

const running = (gpus: readonly (readonly [number, number])[], cpu: number, memory: number): Json => ({
  uptime: 3600,
  gpus: gpus.map(([util, memoryUtil]) => ({ util, memoryUtil })),
  cpu: { util: cpu },
  memory: { util: memory },
});

/** A wave between 0 and 100. */
const wave = (tick: number): number => Math.round(50 + 50 * Math.sin(tick / 3));

/** Pods of every kind; some names are difficult to print. */
const podsAt = (tick: number): readonly Json[] => [
  pod('pod-train', 'train-llm', 'RUNNING', {
    cost: 4.78,
    runtime: running(
      [
        [wave(tick), 68],
        [wave(tick + 2), 56],
      ],
      18,
      55,
    ),
  }),
  pod('pod-idle', 'forgotten', 'RUNNING', { cost: 0.34, runtime: running([[tick % 2, 3]], 1, 4) }),
  pod('pod-web', 'web', 'RUNNING', { cost: 0.12, runtime: running([], 35, 48) }),
  pod('pod-new', 'évaluation 日本語のポッド', 'PROVISIONING', { cost: 0.22, runtime: null }),
  pod('pod-bad', 'evil \u001b[31m\u202egnp', 'ERROR', { cost: 2.69, runtime: null }),
  pod('pod-odd', `long-${'name-'.repeat(20)}`, 'HIBERNATING', { cost: 'free', createdAt: 'soon', runtime: 7 }),
];

const ENDPOINTS: readonly Json[] = [
  { id: 'ep-busy', name: 'captions', type: 'QUEUE', createdAt: '2026-01-02T00:00:00Z' },
  { id: 'ep-stuck', name: 'stuck', type: 'QUEUE', createdAt: '2025-12-02T00:00:00Z' },
  { id: 'ep-web', name: 'web-balancer', type: 'LOAD_BALANCER', createdAt: '2025-12-02T00:00:00Z' },
];

const healthAt = (tick: number): readonly (readonly [string, Json])[] => [
  [
    'ep-busy',
    {
      jobs: { inQueue: wave(tick) * 3, inProgress: 4, completed: 1000 + 5 * tick, failed: tick > 20 ? tick - 20 : 0 },
      workers: { idle: 1, running: 4, initializing: 0 },
    },
  ],
  ['ep-stuck', { jobs: { inQueue: 12, inProgress: 0, completed: 7, failed: 0 }, workers: { idle: 0, running: 0 } }],
];

/** A fleet after some readings, two seconds apart. */
export function sampleFleet(ticks = 31): Fleet {
  const fleet = new Fleet({ pods: true, endpoints: true });
  fleet.intervalMs = TICK;
  for (let tick = 0; tick < ticks; tick++) {
    const at = LAST - (ticks - 1 - tick) * TICK;
    fleet.takePods(podsAt(tick), at);
    fleet.endpoints = ENDPOINTS;
    for (const [id, document] of healthAt(tick)) fleet.takeHealth(id, document, at - 500);
  }
  const byId = new Map([
    ['pod-train', 57.4],
    ['ep-busy', 3.5],
  ]);
  fleet.spent = { byId, total: 61.9 };
  fleet.readAt = LAST;
  return fleet;
}

/** The screen of a fleet a second after its last reading. */
export const frameOf = (
  fleet: Fleet,
  size: { readonly columns: number; readonly rows: number },
  ui: Partial<Ui> = {},
  paint: Paint = unpainted,
): Promise<readonly string[]> => {
  const chosen: Ui = { selected: undefined, sort: 'cost', ...ui };
  const times = { now: LAST + 1000, serviceNow: NOW };
  return frameLines({ fleet, ui: chosen, ...times, state: [], footer: 'q quit' }, size, paint);
};
