import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CHROMIUM, openPage } from './chromium.ts';
import { berth, berthPath, cleanEnvironment, serve, type Environment } from './support.ts';

const LOCAL_KEY = 'berth-local-full-access';

/** `berth local serve` on a free port until the test is over, and the variables that it prints. */
async function served(): Promise<{ readonly url: string; readonly env: Environment }> {
  const env = await cleanEnvironment();
  const child = spawn(berthPath(), ['local', 'serve', '--port', '0'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.kill('SIGTERM')) await gone;
  });
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string>((resolve) => lines.once('line', resolve));
  const { BERTH_CONFIG_DIR: _, ...rest } = env;
  return {
    url,
    env: { ...rest, BERTH_BASE_URL: url, BERTH_QUEUE_URL: url, BERTH_REST_URL: url, BERTH_API_KEY: LOCAL_KEY },
  };
}

/** Opens an address in a headless browser and gives the page as it is once it has loaded. */
const open = async (address: string, ...more: readonly string[]): Promise<string> =>
  (await openPage(address, ...more)).stdout;

/** Every way that a page has to send a request to another origin. */
const attack = (service: string): string => `<!doctype html>
<img src="/hold">
<iframe name="frame"></iframe>
<form method="post" target="frame" enctype="text/plain" action="${service}/local/clock">
  <input name='{"advanceMs":3600000,"x":"' value='"}'>
</form>
<script>
  const results = {};
  const attempt = async (name, path, options) => {
    results[name] = await fetch('${service}' + path, { method: 'POST', ...options }).then(
      (answer) => answer.type + ' ' + answer.status,
      (error) => error.name,
    );
  };
  const key = { Authorization: 'Bearer ${LOCAL_KEY}', 'Content-Type': 'application/json' };
  const job = JSON.stringify({ input: {} });
  (async () => {
    await attempt('reset', '/local/reset', { mode: 'no-cors' });
    await attempt('reset with the key', '/local/reset', { headers: key });
    await attempt('fault', '/local/fault', { mode: 'no-cors', body: '{"kind":"drop"}' });
    await attempt('job', '/v2/echo/run', { mode: 'no-cors', body: job });
    await attempt('job with the key', '/v2/echo/run', { headers: key, body: job });
    await attempt('read', '/v2/openapi.json', { method: 'GET' });
    navigator.sendBeacon('${service}/local/reset');
    await new Promise((resolve) => {
      document.querySelector('iframe').addEventListener('load', resolve, { once: true });
      document.querySelector('form').submit();
    });
    await fetch('/results', { method: 'POST', body: JSON.stringify(results) });
  })();
</script>`;

describe.skipIf(CHROMIUM === undefined)(`a browser (${CHROMIUM ?? 'skipped: there is no Chromium here'})`, () => {
  it('on a page of another origin neither resets the local service nor submits a job', async () => {
    const { url, env } = await served();
    const local = (...argv: readonly string[]) => berth(argv, { env });
    await local('local', 'clock', 'advance', '2h');
    await local(
      'volumes',
      'create',
      '--name',
      'mine',
      '--size',
      '10',
      '--data-center',
      'EU-WEST-1',
      '--type',
      'STANDARD',
    );
    const state = async (): Promise<unknown> => {
      const { now: _, ...rest } = JSON.parse((await local('local', 'status', '--json')).stdout) as { now: string };
      return rest;
    };
    const before = await state();

    let results = '';
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const page = await serve((request, response) => {
      if (request.url === '/results') {
        request.setEncoding('utf8').on('data', (text: string) => (results += text));
        request.once('end', () => {
          response.end();
          finish();
        });
        // The page counts as loaded once this is answered: by then all has been tried.
      } else if (request.url === '/hold') void finished.then(() => response.end());
      else response.setHeader('content-type', 'text/html').end(attack(url));
    });
    await open(`${page}/`);

    // Opaque: the browser sent it, got an answer and keeps it from the page. TypeError: it asked first, and was refused.
    expect(JSON.parse(results)).toEqual({
      reset: 'opaque 0',
      'reset with the key': 'TypeError',
      fault: 'opaque 0',
      job: 'opaque 0',
      'job with the key': 'TypeError',
      read: 'TypeError',
    });
    expect(await state()).toEqual(before);
    expect(before).toMatchObject({ advancedMs: 7_200_000, networkVolumes: 4, jobs: {}, faults: [] });
  });

  it('that reaches it under a foreign name (DNS rebinding) is refused', async () => {
    const { url } = await served();
    const { port } = new URL(url);
    const page = await open(
      `http://rebound.example:${port}/v2/openapi.json`,
      '--host-resolver-rules=MAP rebound.example 127.0.0.1',
    );
    expect(page).toContain('the Host of this request is not this machine');
  });

  it('shows a person who types the address what is there', async () => {
    const { url } = await served();
    expect(await open(`${url}/v2/openapi.json`)).toContain('berth local service');
  });
});
