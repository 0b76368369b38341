import type { Dispatcher } from 'undici';
import { kParser, kSocket, type ParsedSocket } from 'undici/lib/core/symbols.js';

/** What the parser does after a head: goes on with the next one. */
const NO_BODY = 1;

/** undici takes an unasked 100 (RFC 9110, 15.2.1), as some proxies send it, for an error: skipped, as it skips 102 and 103. */
export function skipContinue<T extends Dispatcher>(dispatcher: T): T {
  dispatcher.on('connect', (_origin, targets) => {
    // A pool puts itself before the client that connected.
    const client = targets.at(-1) as unknown as { readonly [kSocket]: ParsedSocket };
    const parser = client[kSocket][kParser];
    const onHeadersComplete = parser.onHeadersComplete.bind(parser);
    parser.onHeadersComplete = (status, upgrade, shouldKeepAlive) => {
      if (status !== 100) return onHeadersComplete(status, upgrade, shouldKeepAlive);
      Object.assign(parser, { statusCode: status, headers: [], headersSize: 0 });
      return NO_BODY;
    };
  });
  return dispatcher;
}
