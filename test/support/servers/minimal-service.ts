import { json, KEY, routed, text, type Behaviour } from './scripted-server.ts';

/** An error of the queue API: a status without a body. */
export const bare = (status: number): Behaviour => text('', status);
const managed = (status: number, title: string, detail: string): Behaviour =>
  json({ title, status, detail }, status, { 'content-type': 'application/problem+json' });

/**
 * A queue that answers exactly what the specification shows (section 4), the creation of a volume by v1 and a
 * revocation, without further members, headers or bodies. Each call creates a new service.
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
      'DELETE /v2/registries/delegations/d-empty': text('', 200),
      'DELETE /v2/registries/delegations/d-none': text('', 204),
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
    else if (/^\/(v1|v2\/(registries|network-volumes|serverless))(\/|$|\?)/.test(exchange.arrival.url))
      management(exchange);
    else queue(exchange);
  };
}
