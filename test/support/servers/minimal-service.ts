import { json, KEY, routed, text, type Behaviour } from './scripted-server.ts';

export const GPU_POD = {
  id: 'gpu1',
  name: 'trainer',
  status: 'RUNNING',
  actions: ['stop', 'restart', 'terminate'],
  image: 'image:1',
  args: '',
  disk: 50,
  ports: ['22/tcp', '8888/http'],
  env: { MODE: 'fast' },
  registry: null,
  mounts: { network: [{ volumeId: 'vol1', path: '/workspace' }] },
  gpu: { id: 'GPU-24', count: 2 },
  cloud: 'SECURE',
  dataCenterId: 'DC-1',
  template: null,
  cost: 1.24,
  locked: false,
  globalNetworking: { enabled: true, ip: '10.1.2.3', internalDns: 'gpu1.internal' },
  runtime: {
    uptime: 3661,
    gpus: [
      { util: 93, memoryUtil: 71 },
      { util: 4, memoryUtil: 0 },
    ],
    cpu: { util: 12 },
    memory: { util: 34 },
    ports: [
      { private: 22, public: 10022, type: 'tcp', ip: '203.0.113.7' },
      { private: 8888, public: null, type: 'http', ip: null },
    ],
  },
  createdAt: '2025-12-31T00:00:00Z',
  startedAt: '2025-12-31T22:58:59Z',
};

const { gpu: _gpu, ...withoutGpu } = GPU_POD;
export const CPU_POD = {
  ...withoutGpu,
  id: 'cpu1',
  name: 'worker',
  status: 'EXITED',
  actions: ['start', 'terminate'],
  mounts: {},
  cpu: { id: 'cpu-general', vcpuCount: 4, memory: 16 },
  cloud: 'COMMUNITY',
  dataCenterId: null,
  cost: 0.0,
  globalNetworking: { enabled: false },
  runtime: null,
  startedAt: null,
};
export const MOUNTED_POD = { ...GPU_POD, id: 'old1', mounts: { persistent: { size: 20, path: '/data' } }, runtime: {} };

/** An error of the queue API: a status without a body. */
export const bare = (status: number): Behaviour => text('', status);
const managed = (status: number, title: string, detail: string): Behaviour =>
  json({ title, status, detail }, status, { 'content-type': 'application/problem+json' });

/**
 * A service that answers exactly what the specification shows (sections 2 to 4), without further members, headers or
 * bodies. Each call creates a new service.
 */
export function minimal(): Behaviour {
  const polls = new Map<string, number>();
  const nth = (name: string): number => {
    const count = (polls.get(name) ?? 0) + 1;
    polls.set(name, count);
    return count;
  };
  const done = { id: 'job1', status: 'COMPLETED', delayTime: 31, executionTime: 1200, output: { n: 1 } };
  const management = routed(
    {
      'GET /v2/pods/gpu1': json(GPU_POD),
      'GET /v2/pods/cpu1': json(CPU_POD),
      'GET /v2/pods/old1': json(MOUNTED_POD),
      'DELETE /v2/registries/delegations/d-empty': text('', 200),
      'DELETE /v2/registries/delegations/d-none': text('', 204),
      'GET /v2/catalog/cpus': json({ cpus: [{ id: 'cpu-general' }] }),
      'GET /v2/catalog/gpus': json({ gpus: [{ id: 'GPU-24' }] }),
      'POST /v1/networkvolumes': json({ id: 'vol1', name: 'data', size: 100, dataCenterId: 'DC-1' }),
    },
    managed(404, 'Not Found', 'resource not found'),
  );
  const queue: Behaviour = (exchange) => {
    const { method, url } = exchange.arrival;
    const [, , , operation = '', job = ''] = new URL(url, 'http://service').pathname.split('/');
    switch (`${method} ${operation}`) {
      case 'POST run':
        json({ id: 'job1', status: 'IN_QUEUE' })(exchange);
        return;
      case 'POST runsync':
        json({ ...done, id: 'sync-1' })(exchange);
        return;
      case 'GET status':
        if (job === 'failed') json({ id: 'failed', status: 'FAILED', delayTime: 1, executionTime: 2 })(exchange);
        else if (job !== 'job1') bare(404)(exchange);
        else
          json(nth('status') === 1 ? { id: 'job1', status: 'IN_PROGRESS', delayTime: 31, executionTime: 0 } : done)(
            exchange,
          );
        return;
      case 'GET stream': {
        const count = nth('stream');
        const chunk = (word: string): unknown => ({
          output: { text: [word], input_tokens: 1 },
          metrics: { stream_index: count },
        });
        json(count > 2 ? [] : [chunk(count === 1 ? 'Hello, ' : 'world')])(exchange);
        return;
      }
      case 'POST cancel':
        json({ id: job, status: 'CANCELLED' })(exchange);
        return;
      case 'POST retry':
        json({ id: job, status: 'IN_QUEUE' })(exchange);
        return;
      case 'POST purge-queue':
        json({ removed: 3, status: 'completed' })(exchange);
        return;
      case 'GET health':
        json({
          jobs: { completed: 9, failed: 1, inProgress: 2, inQueue: 3, retried: 0 },
          workers: { idle: 1, running: 2 },
        })(exchange);
        return;
      default:
        bare(404)(exchange);
    }
  };
  return (exchange) => {
    if (exchange.arrival.headers.authorization !== `Bearer ${KEY}`)
      managed(401, 'Unauthorized', 'missing bearer token')(exchange);
    else if (/^\/(v1|v2\/(pods|registries|catalog|network-volumes|serverless))(\/|$|\?)/.test(exchange.arrival.url))
      management(exchange);
    else queue(exchange);
  };
}
