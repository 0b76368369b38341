/** The signal of one call. It is made when it is first needed, because most calls need none. */
export interface CallSignal {
  /** Aborted when the caller disconnects or the service stops. */
  get(): AbortSignal;
  /** Call it when the call has ended: nothing is kept of it then. */
  release(): void;
}

/** Returns the signal of a call from the one that is aborted when its caller disconnects. */
export type CallSignals = (request: { readonly signal: AbortSignal }) => CallSignal;

/**
 * Creates the signals of all calls of a service; `stopping` is aborted when the service stops. Not AbortSignal.any: a
 * service that runs for long would keep one signal in memory for every call.
 */
export function createCallSignals(stopping: AbortSignal): CallSignals {
  const open = new Set<AbortController>();
  stopping.addEventListener(
    'abort',
    () => {
      for (const controller of [...open]) controller.abort(stopping.reason);
    },
    { once: true },
  );
  return (request) => {
    let controller: AbortController | undefined;
    const end = (): void => {
      controller?.abort(request.signal.reason);
    };
    const release = (): void => {
      if (controller === undefined || !open.delete(controller)) return;
      request.signal.removeEventListener('abort', end);
    };
    const create = (): AbortController => {
      controller = new AbortController();
      if (stopping.aborted) controller.abort(stopping.reason);
      else if (request.signal.aborted) end();
      else {
        open.add(controller);
        request.signal.addEventListener('abort', end);
        controller.signal.addEventListener('abort', release, { once: true });
      }
      return controller;
    };
    return { get: () => (controller ?? create()).signal, release };
  };
}
