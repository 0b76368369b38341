import { expect, test } from 'vitest';
import { encodeJson } from '../../../../src/core/json.ts';
import { safeText } from '../../../../src/core/safe-text.ts';
import { textWidth } from '../../../../src/output/text/text-width.ts';
import { PODS, rows } from '../../../support/output/pods.ts';
import { json, pointedAt, routed, serve } from '../../../support/servers/scripted-server.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

// What the pages look like is in golden/pods; here are names that no column holds, and text that tries to control a terminal.

async function shown(line: string, columns: number, colour = false): Promise<string> {
  const server = await serve([
    routed({ 'GET /v2/pods': json(PODS), 'GET /v2/pods/pod-7f3a9c01': json(encodeJson(rows[0] ?? null)) }),
  ]);
  const env = { ...pointedAt(server.url), ...(colour ? {} : { NO_COLOR: '1' }) };
  const { code, out, err } = await berth(line.split(' '), { tty: { stdout: true }, columns, env });
  expect([code, err], err).toEqual([0, '']);
  return out;
}

test.each([
  ['pods list', 40],
  ['pods list', 80],
  ['pods list', 200],
  ['pods get pod-7f3a9c01', 30],
  ['pods get pod-7f3a9c01', 100],
])('%s fits %i columns, and has no control character', async (line, columns) => {
  const out = await shown(line, columns);
  for (const each of out.split('\n')) expect(textWidth(safeText(each)), each).toBeLessThanOrEqual(columns);
  expect(safeText(out, true)).toBe(out);
  expect(out).toContain('pod-7f3a9c01');
});

test('-o wide keeps every column in 60 columns', async () => {
  const out = await shown('pods list -o wide', 60);
  for (const value of ['A100 80GB', 'train:2026.1']) expect(out.replace(/\s+/g, ' ')).toContain(value);
});

test('colours change nothing else', async () => {
  const out = await shown('pods list', 100, true);
  expect(out).toContain('\u001b[');
  // oxlint-disable-next-line no-control-regex -- the pattern matches the escape sequences of colours
  expect(out.replace(/\u001b\[\d+m/g, '')).toBe(await shown('pods list', 100));
});
