import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { createServer, connect, type AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hasSshd, startSshd } from '../support/servers/sshd.ts';
import { serveLab } from './pods-support.ts';
import { berthPath, cleanEnvironment, runProgram } from './support.ts';

// A large file to and from a pod whose connection is cut, through the client and the server of OpenSSH. `BERTH_COPY_MIB=1024 npm run
// e2e -- large-copies` is its full length.

const MIB = 1024 * 1024;
const BYTES = Number(process.env['BERTH_COPY_MIB'] ?? 48) * MIB;

/** The SHA-256 of a file. */
async function digest(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** A port that leads to another, counts bytes, and cuts a connection after so many of them. */
async function proxyTo(port: number) {
  const counted = { bytes: 0, limit: Number.POSITIVE_INFINITY };
  const server = createServer((socket) => {
    const other = connect(port, '127.0.0.1');
    const count = (bytes: Buffer): void => {
      counted.bytes += bytes.byteLength;
      if (counted.bytes > counted.limit) socket.destroy();
    };
    socket.on('error', () => undefined).on('close', () => other.destroy());
    other.on('error', () => undefined).on('close', () => socket.destroy());
    socket.on('data', count).pipe(other);
    other.on('data', count).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, counted };
}

test.skipIf(!hasSshd).each(['to', 'from'] as const)(
  'a large file that is copied %s a pod and cut goes on where it stopped, and has the same SHA-256',
  async (direction) => {
    const sshd = await startSshd();
    const proxy = await proxyTo(sshd.port);
    const url = await serveLab(sshd, proxy.port);
    const env = { ...(await cleanEnvironment({ BERTH_BASE_URL: url, BERTH_API_KEY: 'key-of-a-test' })), ...sshd.env };
    const here = path.join(env['HOME'] ?? '', 'large');
    const there = path.join(sshd.folder, 'large');
    const [source, target] = direction === 'to' ? [here, there] : [there, here];
    const made = await runProgram('sh', ['-c', `head -c ${String(BYTES)} /dev/urandom > "$1"`, 'sh', source], { env });
    expect(made.code).toBe(0);
    const words = direction === 'to' ? [here, `lab:${there}`] : [`lab:${there}`, here];
    const copy = async () => {
      proxy.counted.bytes = 0;
      const began = performance.now();
      const ended = await runProgram(berthPath(), ['pods', 'cp', ...words], { env });
      return { ...ended, sent: proxy.counted.bytes / BYTES, seconds: (performance.now() - began) / 1000 };
    };
    proxy.counted.limit = BYTES * 0.4;
    const cut = await copy();
    expect([cut.code, cut.stderr], cut.stderr).toEqual([7, expect.stringContaining('The same command goes on')]);
    proxy.counted.limit = Number.POSITIVE_INFINITY;
    const rest = await copy();
    expect(rest.code, rest.stderr).toBe(0);
    expect(rest.sent).toBeGreaterThan(0.55);
    expect(rest.sent).toBeLessThan(0.75);
    expect([statSync(target).size, await digest(target)]).toEqual([BYTES, await digest(source)]);
    const again = await copy();
    expect([again.code, again.sent < 0.01]).toEqual([0, true]);
    const part = (one: { readonly sent: number; readonly seconds: number }): string =>
      `${String(Math.round(one.sent * 100))} % in ${one.seconds.toFixed(1)} s`;
    console.log(
      `note: ${String(BYTES / MIB)} MiB ${direction} a pod: ${part(cut)}, cut; ${part(rest)}; ${part(again)}`,
    );
  },
);
