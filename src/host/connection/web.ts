/** Requests to addresses of the user's own: without the key of the account. */
import { version } from '../../../package.json';
import type { WebRequest } from '../../core/context.ts';
import { webAddress } from '../../core/addresses.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { readBody } from '../../http/answer.ts';
import { WireError } from '../../http/transport.ts';
import type { Runtime } from '../runtime/runtime.ts';

const TRY_MS: Milliseconds = 5000;
const WAITS_MS: readonly Milliseconds[] = [500, 1000];
const MOST_BYTES = 1024 * 1024;

/** Follows no redirect. The address is not in messages: it may hold a token. */
export async function sendToWeb(
  { env, clock }: Pick<Runtime, 'env' | 'clock'>,
  interrupt: AbortSignal,
  { method, url: text, body }: WebRequest,
): Promise<string> {
  const { createTransport } = await import('../../http/wire/client.ts');
  const url = webAddress(text, 'the address');
  const transport = createTransport({ env });
  const failed = (why: string): Failure =>
    new Failure({ code: 'web', exit: EXIT.unavailable, message: `${url.hostname} ${why}` });
  const once = async (): Promise<string | Failure> => {
    const limit = clock.deadline(TRY_MS);
    const signal = AbortSignal.any([limit.signal, interrupt]);
    try {
      const headers = { 'user-agent': `berth/${version}`, 'content-type': 'application/json' };
      const bytes = body === undefined ? undefined : Buffer.from(body);
      const answer = await transport({ method, url: url.href, headers, body: bytes, signal });
      if (answer.status >= 200 && answer.status < 300) {
        if (method === 'POST') return '';
        const read = await readBody(answer.body, answer.headers['content-encoding'], MOST_BYTES);
        return read?.toString() ?? failed('answered more than 1 MiB');
      }
      const refused = failed(`answered ${String(answer.status)}`);
      if (answer.status < 500) throw refused;
      return refused;
    } catch (error) {
      interrupt.throwIfAborted();
      if (!(error instanceof WireError)) throw error;
      return failed(limit.signal.aborted ? 'did not answer in 5s' : `is not reachable: ${error.message}`);
    } finally {
      limit.cancel();
    }
  };
  try {
    let last = await once();
    for (const wait of WAITS_MS) {
      if (typeof last === 'string') break;
      await clock.sleep(wait, interrupt);
      last = await once();
    }
    if (typeof last === 'string') return last;
    throw last;
  } finally {
    await transport.close();
  }
}
