import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mixedItems, writeBatch } from '../support/batch/written-batch.ts';
import { CHROMIUM, openPage } from './chromium.ts';
import { berth, temporaryFolder } from './support.ts';

interface Opened {
  /** The page once it has loaded. */
  readonly dom: string;
  /** Lines of the browser's console. */
  readonly console: readonly string[];
  /** Every request that left the browser, whatever its host: the browser has no other way out. */
  readonly requests: readonly string[];
}

const ADDRESS = 'http://report.example/';

/** Opens a page in a browser whose every request goes through a proxy, which answers with the page. */
async function openThroughProxy(page: string): Promise<Opened> {
  const requests: string[] = [];
  const proxy = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.setHeader('content-type', 'text/html; charset=utf-8').end(request.url === ADDRESS ? page : '');
  });
  proxy.on('connect', (request, socket) => {
    requests.push(request.url ?? '');
    socket.destroy();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  const { port } = proxy.address() as AddressInfo;
  const { stdout, stderr } = await openPage(
    ADDRESS,
    `--proxy-server=http://127.0.0.1:${String(port)}`,
    '--proxy-bypass-list=<-loopback>',
    '--enable-logging=stderr',
  );
  return { dom: stdout, console: stderr.split('\n').filter((line) => line.includes('CONSOLE')), requests };
}

/** Requests that a browser sends for itself. */
const ofPage = (requests: readonly string[]): readonly string[] =>
  requests.filter((url) => !/\b(google|googleapis|gstatic|gvt1)\.com\b/.test(url));

describe.skipIf(CHROMIUM === undefined)(
  `the page of a report in ${CHROMIUM ?? 'a browser: there is no Chromium'}`,
  () => {
    it('shows the numbers of --json, writes nothing to the console and loads nothing', async () => {
      const folder = await temporaryFolder();
      writeBatch(folder, mixedItems(400));
      const report = ['jobs', 'batch', 'report', 'out.jsonl'];
      const json = JSON.parse((await berth([...report, '--json'], { cwd: folder })).stdout) as Record<string, number>;
      expect((await berth([...report, '--html', 'report.html'], { cwd: folder })).code).toBe(0);
      const opened = await openThroughProxy(await readFile(path.join(folder, 'report.html'), 'utf8'));
      expect(opened.console).toEqual([]);
      expect(ofPage(opened.requests)).toEqual([ADDRESS]);
      const counts = [...opened.dom.matchAll(/<b data-count="(\w+)">([\d,]+)<\/b>/g)].map(
        ([, member = '', shown = '']) => [member, Number(shown.replaceAll(',', ''))] as const,
      );
      expect(counts.length).toBeGreaterThan(3);
      for (const [member, shown] of counts) expect([member, shown]).toEqual([member, json[member]]);
      const [, block = ''] = /id="report">([^]*?)<\/script>/.exec(opened.dom) ?? [];
      expect(JSON.parse(block)).toEqual(json);
      expect(opened.dom.match(/<svg /g)).toHaveLength(3);
    });

    it('would be seen to load something or to write to the console', async () => {
      const page = '<!doctype html><img src="http://elsewhere.example/x.png"><script>console.error("seen")</script>';
      const opened = await openThroughProxy(page);
      expect(opened.console).toEqual([expect.stringContaining('seen')]);
      expect(ofPage(opened.requests)).toContain('http://elsewhere.example/x.png');
    });
  },
);
