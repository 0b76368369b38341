import { type Exchange, json, pointedAt, problem, serve } from '../servers/scripted-server.ts';

/** A job as the service has it. */
interface CountedJob {
  readonly endpoint: string;
  readonly n: number;
}

/**
 * A service that completes each job at once and knows any endpoint. `jobs` are the submissions that it has accepted, and may be
 * cut off where a killed process had sent no more. `onRequest` is called with each request about a job that has taken effect: it
 * is answered, and later ones take effect, when what it returns has settled. While it `forgets`, it has no job; those with a
 * number in `lost` it never has again. While it `refuses`, it answers 403 to what is asked about a job.
 */
export async function createCountingService() {
  const service = {
    jobs: [] as CountedJob[],
    onRequest: (): Promise<void> | void => undefined,
    forgets: false,
    lost: new Set<number>(),
    refuses: false,
  };
  let settled = Promise.resolve();
  const takesEffect = async (): Promise<void> => {
    const work = service.onRequest();
    if (work !== undefined) settled = work;
    await work;
  };
  const answer = async (exchange: Exchange): Promise<void> => {
    const [, , endpoint = '', operation = '', job = ''] = exchange.arrival.url.split('/');
    if (operation === 'health') json({ jobs: {}, workers: {} })(exchange);
    else if (operation === 'run') {
      // Another request may have taken effect while this one waited.
      for (let seen: unknown; seen !== settled;) await (seen = settled);
      const { input } = JSON.parse(exchange.arrival.body.toString()) as { readonly input: { readonly n: number } };
      const id = `job-${String(service.jobs.push({ endpoint, n: input.n }))}`;
      await takesEffect();
      json({ id, status: 'IN_QUEUE' })(exchange);
    } else {
      const number = Number(job.slice(4));
      const output = service.jobs[number - 1];
      if (service.refuses) problem(403, 'not with this key')(exchange);
      else if (operation !== 'status' || output === undefined || service.forgets || service.lost.has(number))
        problem(404, 'not found')(exchange);
      else {
        await takesEffect();
        json({ id: job, status: 'COMPLETED', output })(exchange);
      }
    }
  };
  const { url } = await serve([(exchange) => void answer(exchange)]);
  return { service, env: pointedAt(url) };
}

export type CountingService = Awaited<ReturnType<typeof createCountingService>>['service'];
