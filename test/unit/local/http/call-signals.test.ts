import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createCallSignals } from '../../../../src/local/http/operation.ts';
import { attached, submit } from '../../../support/local/attached-service.ts';
import { workerKeyOf } from '../../../../src/local/state/keys.ts';

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe('the signal of a call', () => {
  test('is aborted with the reason of its caller, and no other call is', () => {
    const signals = createCallSignals(new AbortController().signal);
    const [gone, stays] = [new AbortController(), new AbortController()];
    const [one, other] = [signals(gone).get(), signals(stays).get()];
    gone.abort(new Error('disconnected'));
    expect(one.aborted && (one.reason as Error).message).toBe('disconnected');
    expect(other.aborted).toBe(false);
  });

  test('is aborted when the service stops, and from the beginning when it has stopped before', () => {
    const stopping = new AbortController();
    const signals = createCallSignals(stopping.signal);
    const before = signals(new AbortController()).get();
    stopping.abort(new Error('stopped'));
    const after = signals(new AbortController()).get();
    expect([before, after].map(({ reason }) => (reason as Error).message)).toEqual(['stopped', 'stopped']);
  });

  test('is not aborted after its release, and leaves no listener on the connection', () => {
    const [stopping, caller] = [new AbortController(), new AbortController()];
    const call = createCallSignals(stopping.signal)(caller);
    const signal = call.get();
    expect(listeners(caller.signal)).toBe(1);
    call.release();
    expect(listeners(caller.signal)).toBe(0);
    caller.abort();
    stopping.abort();
    expect(signal.aborted).toBe(false);
  });

  test('a connection keeps nothing of the held requests that were answered on it', async () => {
    const local = await attached();
    const connection = new AbortController();
    const counts: number[] = [];
    for (let round = 0; round < 3; round++) {
      const taken = local.service.answer({
        method: 'GET',
        origin: 'http://localhost',
        path: '/worker/mine/job-take/on-one-connection',
        query: '',
        headers: { authorization: workerKeyOf(local.state, 'mine') },
        body: undefined,
        signal: connection.signal,
      });
      await local.settled();
      counts.push(listeners(connection.signal));
      await submit(local, { round });
      expect((await taken).status).toBe(200);
    }
    expect(counts).toEqual([1, 1, 1]);
    expect(listeners(connection.signal)).toBe(0);
  });
});
