import { randomUUID } from 'node:crypto';
import { createServer, connect, type Server as NetServer } from 'node:net';
import type { AuthContext, Connection, ParsedKey, Server, ServerChannel } from 'ssh2';
import type { PodContainer, StartContainer } from '../../local/index.ts';
import { createGroupWatcher } from '../process/group/group-watcher.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { hostKeyOf, makeHostKey } from './host-key.ts';
import { isPeerOf } from './peer-user.ts';
import { serveSession } from './session.ts';
import { endContainerProcesses } from './container-processes.ts';
import { findOwnRoot, openView } from './container-view.ts';
import { boundAddress } from '../../core/addresses/bound-address.ts';

const LOOPBACK = '127.0.0.1';

/** Names of this machine, as the clients of a container may call it. */
const LOOPBACK_NAMES = ['localhost', LOOPBACK, '::1', ''];

/**
 * Returns what starts containers: an SSH server on a free port of the loopback address, with the host key of the start of its pod. It takes
 * public keys only, and on Linux only clients of the same user or root: another user of this machine may know the key of the local
 * service, and could add a key of their own. What clients run is run as the user of this program, without any isolation.
 */
export function createStartContainer(runtime: Pick<Runtime, 'env' | 'platform' | 'user'>): StartContainer {
  const watcher = createGroupWatcher(runtime.env['PATH']);
  let found: Promise<readonly string[] | undefined> | undefined;
  const ownRoot = () => (found ??= findOwnRoot(runtime));
  return async (spec) => {
    const { default: ssh2 } = await import('ssh2');
    const allowed = spec.publicKeys.flatMap((line) => {
      const parsed = line.trim() === '' ? new Error('empty') : ssh2.utils.parseKey(line);
      return parsed instanceof Error ? [] : [parsed].flat();
    });
    const view = await openView(spec, await ownRoot());
    const hostKey = await hostKeyOf(spec.hostKeyFile, () => makeHostKey(ssh2.utils));
    const connections = new Set<Connection>();
    const ends = new Set<() => void>();
    const mark = randomUUID();
    const server: Server = new ssh2.Server({ hostKeys: [hostKey] }, (client, { port: peer }) => {
      // A client that breaks off is no error of this program.
      client.on('error', () => undefined);
      if (!isPeerOf(runtime.user, { peer, own: boundAddress(server).port })) {
        client.end();
        return;
      }
      connections.add(client);
      client.on('close', () => connections.delete(client));
      client.on('authentication', (context) => {
        if (isAllowed(context, spec.username, allowed)) context.accept();
        else context.reject(['publickey']);
      });
      client.on('session', (accept) => {
        serveSession(accept(), { runtime, watcher, spec, view, ends, mark });
      });
      client.on('tcpip', (accept, reject, { destIP, destPort }) => {
        if (LOOPBACK_NAMES.includes(destIP)) forwardTo(destPort, accept, reject);
        else reject();
      });
      takeRemoteForwards(client);
    });
    const port = await listening(server);
    return {
      port,
      stop: async () => {
        await stopped(server, connections, ends);
        await endContainerProcesses(mark);
      },
    } satisfies PodContainer;
  };
}

/** A client proves one of the keys; the first request only asks whether a key would do. */
function isAllowed(context: AuthContext, username: string, allowed: readonly ParsedKey[]): boolean {
  if (context.method !== 'publickey' || context.username !== username) return false;
  const { key, signature, blob, hashAlgo } = context;
  const found = allowed.find((each) => each.type === key.algo && each.getPublicSSH().equals(key.data));
  if (found === undefined) return false;
  if (signature === undefined || blob === undefined) return true;
  return found.verify(blob, signature, hashAlgo);
}

/** Connects a channel to a port of this machine. */
function forwardTo(port: number, accept: () => ServerChannel, reject: () => void): void {
  const socket = connect({ host: LOOPBACK, port });
  socket.once('error', reject);
  socket.once('connect', () => {
    socket.off('error', reject);
    const channel = accept();
    socket.on('error', () => channel.destroy());
    channel.on('error', () => socket.destroy());
    channel.on('close', () => socket.destroy());
    channel.pipe(socket).pipe(channel);
  });
}

/** Listens on ports of the loopback address for a client that asks for it (`ssh -R`). */
function takeRemoteForwards(client: Connection): void {
  const servers = new Map<number, NetServer>();
  client.on('close', () => {
    for (const server of servers.values()) server.close();
  });
  client.on('request', (accept, reject, name, info) => {
    if (name === 'cancel-tcpip-forward') {
      servers.get(info.bindPort)?.close();
      servers.delete(info.bindPort);
      accept?.();
      return;
    }
    const server = createServer((socket) => {
      const { remotePort = 0 } = socket;
      const { port } = boundAddress(server);
      client.forwardOut(info.bindAddr, port, LOOPBACK, remotePort, (error, channel) => {
        if (error !== undefined) socket.destroy();
        else {
          socket.on('error', () => channel.destroy());
          channel.on('error', () => socket.destroy());
          channel.pipe(socket).pipe(channel);
        }
      });
    });
    server.once('error', () => reject?.());
    server.listen(info.bindPort, LOOPBACK, () => {
      const { port } = boundAddress(server);
      servers.set(port, server);
      accept?.(port);
    });
  });
}

const listening = (server: NetServer): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, LOOPBACK, () => {
      server.off('error', reject);
      resolve(boundAddress(server).port);
    });
  });

async function stopped(server: NetServer, connections: ReadonlySet<Connection>, ends: ReadonlySet<() => void>) {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  for (const end of ends) end();
  for (const client of connections) client.end();
  await closed;
}
