/** A valid `traceparent` of the W3C trace context: no zero ids, and not version ff. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;
const MAX_STATE = 512;

/**
 * Returns the headers that pass on the trace of the environment (`TRACEPARENT`, `TRACESTATE`), unchanged: berth records
 * no span of its own. None when `TRACEPARENT` is absent or invalid.
 */
export function traceHeaders(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const traceparent = env['TRACEPARENT']?.trim();
  if (traceparent === undefined || !TRACEPARENT.test(traceparent)) return {};
  const tracestate = env['TRACESTATE']?.trim() ?? '';
  const isUsable = tracestate !== '' && tracestate.length <= MAX_STATE && /^[\x20-\x7e]+$/.test(tracestate);
  return { traceparent, ...(isUsable ? { tracestate } : {}) };
}
