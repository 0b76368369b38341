import { EXIT } from '../core/exit-codes.ts';
import { Failure } from '../core/failure.ts';
import type { HeaderPair } from '../core/ports/webhooks.ts';
import { openExchange, type ExchangeLimits } from './timed-exchange.ts';
import { WireError, type Transport } from './message/transport.ts';

export interface PostOptions extends ExchangeLimits {
  readonly transport: Transport;
}

/** Headers that belong to one connection, or to the address that a request was sent to before. */
const OF_ONE_CONNECTION =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length)$/i;

/**
 * Posts bytes unchanged, once, and returns the status of the answer, whose body is not read. Fails with unavailable (7)
 * where no answer came, and with the interrupt.
 */
export async function post(
  { transport, ...limits }: PostOptions,
  url: string,
  headers: readonly HeaderPair[],
  body: Uint8Array,
): Promise<number> {
  const exchange = openExchange(limits);
  try {
    const request = { method: 'POST', url, headers: joined(headers), body, signal: exchange.signal };
    return (await exchange.inTime(transport(request))).status;
  } catch (error) {
    if (limits.signal.aborted) throw limits.signal.reason;
    if (!(error instanceof WireError)) throw error;
    throw new Failure({
      code: 'unavailable',
      exit: EXIT.unavailable,
      message: error.message,
      request: { method: 'POST', url },
    });
  } finally {
    exchange.close();
  }
}

/** Without those of one connection. Values of a name that was sent several times are joined, which means the same. */
function joined(headers: readonly HeaderPair[]): Readonly<Record<string, string>> {
  const connection = headers.flatMap(([name, value]) => (/^connection$/i.test(name) ? value.split(',') : []));
  const named = new Set(connection.map((each) => each.trim().toLowerCase()));
  const kept = new Map<string, [string, string]>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (OF_ONE_CONNECTION.test(name) || named.has(key)) continue;
    const before = kept.get(key);
    kept.set(key, before === undefined ? [name, value] : [before[0], `${before[1]}, ${value}`]);
  }
  return Object.fromEntries(kept.values());
}
