import { expect } from 'vitest';
import { LOCAL_KEY } from '../../../src/local/http/admission.ts';
import { fetchFrom } from './fetch-from.ts';
import type { LocalFixture } from './service-fixture.ts';

export interface LogEvent {
  readonly id: string;
  readonly ts: string;
  readonly source: string;
  readonly line: string;
}

/** The first so many events of a log, or all to its end; then the reader hangs up. The test clock moves on while it waits. */
export async function readLog(
  { service }: Pick<LocalFixture, 'service'>,
  path: string,
  count: number,
  lastEventId?: string,
): Promise<LogEvent[]> {
  const headers = { Authorization: `Bearer ${LOCAL_KEY}`, ...(lastEventId && { 'Last-Event-ID': lastEventId }) };
  const response = await fetchFrom(service, new Request(`http://localhost${path}`, { headers }));
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let isOver = false; !isOver && eventsIn(text).length < count;) {
    const piece = await reader?.read();
    text += piece?.value ?? '';
    isOver = piece?.done !== false;
  }
  await reader?.cancel();
  return eventsIn(text).slice(0, count);
}

const eventsIn = (text: string): LogEvent[] =>
  [...text.matchAll(/^id: (.+)\ndata: (.+)\n\n/gm)].map(([, id = '', data = '']) => ({
    ...(JSON.parse(data) as Omit<LogEvent, 'id'>),
    id,
  }));
