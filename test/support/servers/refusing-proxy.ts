import { json, serve } from './scripted-server.ts';

/** Passes requests on to the service at `target`, and refuses with 400 those whose body contains `text`. Returns its address. */
export async function refuseBodies(target: string, text: string): Promise<string> {
  const { url } = await serve([
    (exchange) => {
      const { method, url: path, headers, body } = exchange.arrival;
      if (body.includes(text)) {
        json({ error: 'this input is refused' }, 400)(exchange);
        return;
      }
      const pass = async (): Promise<void> => {
        const answer = await fetch(new URL(path, target), {
          method,
          headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
          ...(body.length === 0 ? {} : { body }),
        });
        exchange.response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
        exchange.response.end(await answer.text());
      };
      void pass().catch(() => exchange.response.destroy());
    },
  ]);
  return url;
}
