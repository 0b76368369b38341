import { berth, type Ran } from '../worlds/run-berth.ts';
import { pointedAt, routed, serve, type Behaviour, type ScriptedServer } from './scripted-server.ts';

/** Runs a command line against a server that answers these routes and 404 for the rest; gives the requests it got. */
export async function runRecorded(
  argv: readonly string[],
  routes: Readonly<Record<string, Behaviour>>,
): Promise<{ readonly ran: Ran; readonly requests: readonly string[] }> {
  const server = await serve([routed(routes)]);
  const ran = await berth(argv, { env: pointedAt(server.url) });
  return { ran, requests: requestsOf(server) };
}

/** `GET /v2/pods` for each request that a server got. */
export const requestsOf = ({ seen }: ScriptedServer): readonly string[] =>
  seen.map(({ method, url }) => `${method} ${url}`);

/** Answers the first requests one way each, and the rest like the last. */
export const inOrder = (...behaviours: readonly Behaviour[]): Behaviour => {
  let count = 0;
  return (exchange) => {
    behaviours[Math.min(count++, behaviours.length - 1)]?.(exchange);
  };
};
