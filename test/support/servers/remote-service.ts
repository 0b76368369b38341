import { serve, type Arrival, type ScriptedServer } from './scripted-server.ts';
import { LOCAL_KEY } from '../../../src/local/http/admission.ts';
import { isSigned, LOCAL_STORAGE_KEY } from '../../../src/local/objects/request.ts';
import { temporaryDirectory } from '../files/temporary-directory.ts';
import { fetchFrom } from '../local/fetch-from.ts';
import { localFixture, type LocalFixture } from '../local/service-fixture.ts';

/** What is done about a request in place of answering it, or after it was answered. */
export type Fault =
  /** Answers with this status and does nothing. */
  | { readonly refuse: number }
  /** Answers 200 with this body and does nothing. */
  | { readonly answer: string }
  /** Does what is asked, and closes the connection without an answer. */
  | 'lose'
  /** Calls this first, then answers. */
  | { readonly first: () => Promise<unknown> };

export interface RemoteService extends Pick<LocalFixture, 'clock' | 'send'> {
  readonly server: ScriptedServer;
  /** The environment of a machine that uses the service. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder of this machine in which it keeps the files of volumes. */
  readonly volumesFolder: string;
}

/**
 * The local service behind a real server that does not name itself, as a service of somebody else looks. `fault` chooses what
 * happens to a request of a client; `date` is what the service says of its time, in milliseconds since the epoch.
 */
export async function remoteService(
  fault: (seen: Arrival) => Fault | undefined = () => undefined,
  date: (now: number) => number = (now) => now,
): Promise<RemoteService> {
  const volumesFolder = temporaryDirectory();
  const fixture = localFixture({ volumesFolder });
  const server = await serve([
    ({ response, arrival: seen }) => {
      const answer = async (): Promise<void> => {
        const wanted = fault(seen);
        if (typeof wanted === 'object' && 'refuse' in wanted) {
          response.writeHead(wanted.refuse, { 'content-type': 'application/problem+json' });
          response.end(JSON.stringify({ title: 'Trouble', status: wanted.refuse, detail: 'as the test wants' }));
          return;
        }
        if (typeof wanted === 'object' && 'answer' in wanted) {
          response.writeHead(200, { 'content-type': 'application/json' }).end(wanted.answer);
          return;
        }
        if (typeof wanted === 'object') await wanted.first();
        const given = Object.fromEntries(Object.entries(seen.headers).map(([name, value]) => [name, String(value)]));
        const answered = await fetchFrom(
          fixture.service,
          new Request(`http://localhost${seen.url}`, {
            method: seen.method,
            headers: isSigned({ headers: given }) ? given : { Authorization: `Bearer ${LOCAL_KEY}` },
            ...(seen.body.length === 0 ? {} : { body: seen.body }),
          }),
        );
        const text = await answered.text();
        if (wanted === 'lose') {
          response.destroy();
          return;
        }
        const { server: _, ...headers } = Object.fromEntries(answered.headers);
        response.writeHead(answered.status, { ...headers, date: new Date(date(fixture.clock.now())).toUTCString() });
        response.end(text);
      };
      void answer();
    },
  ]);
  const addresses = ['BERTH_BASE_URL', 'BERTH_QUEUE_URL', 'BERTH_REST_URL'].map((name) => [name, server.url] as const);
  return {
    ...fixture,
    server,
    volumesFolder,
    env: {
      ...Object.fromEntries(addresses),
      BERTH_API_KEY: LOCAL_KEY,
      BERTH_RETRIES: '0',
      BERTH_STORAGE_URL: server.url,
      BERTH_STORAGE_ACCESS_KEY: LOCAL_STORAGE_KEY.accessKeyId,
      BERTH_STORAGE_SECRET: LOCAL_STORAGE_KEY.secretAccessKey,
    },
  };
}
