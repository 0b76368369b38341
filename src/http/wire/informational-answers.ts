import type { Dispatcher } from 'undici';
import { UnaskedProtocolError } from './client-errors.ts';
import { kParser, kSocket, type ParsedSocket } from 'undici/lib/core/symbols.js';

/** Informational answers that may come before one answer. More of them are an error, because they could be endless. */
const MAX_INFORMATIONAL = 1000;

/** undici mistakes unasked 1xx answers (RFC 9110, 15.2), so the parser skips them first. 101 fails. */
export function skipInformationalAnswers<T extends Dispatcher>(dispatcher: T): T {
  dispatcher.on('connect', (_origin, targets) => {
    // A pool puts itself before the client that connected.
    const client = targets.at(-1) as unknown as { readonly [kSocket]: ParsedSocket };
    skipOnConnection(client[kSocket]);
  });
  return dispatcher;
}

function skipOnConnection(socket: ParsedSocket): void {
  const parser = socket[kParser];
  const onHeadersComplete = parser.onHeadersComplete.bind(parser);
  let skipped = 0;
  parser.onHeadersComplete = (status, upgrade, shouldKeepAlive) => {
    if (status >= 200) {
      skipped = 0;
      return onHeadersComplete(status, upgrade, shouldKeepAlive);
    }
    skipped++;
    if (status === SWITCHING) socket.destroy(new UnaskedProtocolError());
    if (skipped > MAX_INFORMATIONAL)
      socket.destroy(new Error(`more than ${String(MAX_INFORMATIONAL)} informational answers (1xx) came`));
    if (socket.destroyed) return STOP;
    parser.statusCode = status;
    parser.headers = [];
    parser.headersSize = 0;
    return NO_BODY;
  };
}

const SWITCHING = 101;

/** What the parser does after a head: it stops with an error, or goes on with the next head. */
const STOP = -1;
const NO_BODY = 1;
