import { LOCAL_KEY } from '../../../src/local/http/admission.ts';
import type { LocalService } from '../../../src/local/service.ts';
import { fetchFrom } from './fetch-from.ts';

interface WorkerAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The decoded body; undefined without one. */
  readonly body: unknown;
}

interface TakenJob {
  readonly id: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The key of an endpoint's workers, and the id of a new one. */
export async function attachmentOf(
  service: LocalService,
  endpointId: string,
): Promise<{ readonly workerId: string; readonly key: string }> {
  const response = await fetchFrom(
    service,
    new Request(`http://localhost/local/workers/${endpointId}`, { headers: { Authorization: `Bearer ${LOCAL_KEY}` } }),
  );
  return (await response.json()) as { workerId: string; key: string };
}

/** A worker of a service in this process that speaks the worker protocol, as the public library does; the test runs it. */
export async function attachWorker(service: LocalService, endpointId: string, workerId?: string) {
  const attachment = await attachmentOf(service, endpointId);
  const id = workerId ?? attachment.workerId;
  const { key } = attachment;
  const request = async (
    method: string,
    path: string,
    init: Omit<RequestInit, 'headers'>,
    headers: Readonly<Record<string, string>> = { 'Content-Type': 'application/json' },
  ): Promise<WorkerAnswer> => {
    const response = await fetchFrom(
      service,
      new Request(`http://localhost/worker/${endpointId}/${path}`, {
        method,
        ...init,
        headers: { Authorization: key, ...headers },
      }),
    );
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
    };
  };
  /** `get('job-take', 'job_in_progress=0')`. */
  const get = (operation: string, query = '', signal?: AbortSignal): Promise<WorkerAnswer> =>
    request(
      'GET',
      `${operation}/${encodeURIComponent(id)}?service=local&${query}`,
      signal === undefined ? {} : { signal },
    );
  /** `post('job-done/JOB', body)`; a text is sent as it is. */
  const post = (operation: string, body: unknown, query = 'isStream=false'): Promise<WorkerAnswer> => {
    const [name = '', jobId = ''] = operation.split('/');
    return request(
      'POST',
      `${name}/${encodeURIComponent(id)}/${encodeURIComponent(jobId)}?service=local&${query}`,
      { body: typeof body === 'string' ? body : JSON.stringify(body) },
      { 'Content-Type': 'application/x-www-form-urlencoded', charset: 'utf-8', 'X-Request-ID': jobId },
    );
  };
  const flag = (isWorking: boolean): string => `job_in_progress=${isWorking ? '1' : '0'}`;
  return {
    id,
    key,
    get,
    post,
    /** The job that a request for one gets; undefined when there was none. */
    take: async (isWorking = false): Promise<TakenJob | undefined> => {
      const { status, body } = await get('job-take', flag(isWorking));
      return status === 200 ? (body as TakenJob) : undefined;
    },
    takeBatch: async (size: number, isWorking = false): Promise<readonly TakenJob[]> => {
      const { status, body } = await get('job-take-batch', `batch_size=${String(size)}&${flag(isWorking)}`);
      return status === 200 ? (body as readonly TakenJob[]) : [];
    },
    done: (jobId: string, output: unknown): Promise<WorkerAnswer> => post(`job-done/${jobId}`, { output }),
  };
}
