import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import type { EpochMs } from '../core/unit-types.ts';
import type { AddressOf } from './http/operation.ts';
import { type PodRecord, presentPods } from './model/pods.ts';
import { bootEnvironment, sshKeys } from './model/records.ts';
import { startedAt, statusAt } from './resources/pods/document.ts';
import { type FolderRoot, namesIn, removeFolder } from './objects/volumes.ts';
import type { State, Transact } from './state/state.ts';

/** The name that SSH clients log in with (contract rules, Pods). */
const USERNAME = 'root';

interface ContainerOptions {
  readonly transact: Transact;
  readonly start: StartContainer;
  readonly secretPrefix: string;
  readonly root: FolderRoot;
  readonly volumeFolder: (id: string) => Promise<string | undefined>;
}

/** For RUNNING pods with 22/tcp and a key. Another start has an empty folder, except for mounts. */
export function createPodContainers(options: ContainerOptions) {
  const { transact, root } = options;
  const running = new Map<string, { readonly start: EpochMs; readonly container: PodContainer }>();
  let isOpen = false;
  let last: Promise<void> = Promise.resolve();

  const end = async (id: string): Promise<void> => {
    const ending = running.get(id);
    running.delete(id);
    await ending?.container.stop();
  };
  const step = async (): Promise<void> => {
    const { generation, wanted, kept } = await transact((state, now) => ({
      generation: state.generation,
      wanted: wantedOf(state, now, options.secretPrefix),
      kept: presentPods(state).map(({ id }) => id),
    }));
    const starts = new Map(wanted.map(({ id, start }) => [id, start]));
    for (const [id, { start }] of running) if (starts.get(id) !== start) await end(id);
    for (const each of wanted) {
      if (running.has(each.id)) continue;
      const container = await root
        .path()
        .then((path) => open(options, join(path, generation), each))
        // A machine without a folder to write to has no containers: the service works without. The next sync tries again.
        .catch(() => undefined);
      if (container !== undefined) running.set(each.id, { start: each.start, container });
    }
    const path = await root.known();
    if (path !== undefined) await clean(path, generation, new Set(kept));
  };

  return {
    addressOf: ((podId, start) => {
      if (!isOpen) return undefined;
      const found = running.get(podId);
      if (found?.start !== start) return null;
      return { host: '127.0.0.1', port: found.container.port };
    }) satisfies AddressOf,
    /** Starts and stops containers to match the pods that run now. */
    sync: (): Promise<void> => {
      isOpen = true;
      // What failed is retried by the next step.
      return (last = last.catch(() => undefined).then(step));
    },
    stop: async (): Promise<void> => {
      await last.catch(() => undefined);
      await Promise.all([...running.keys()].map(end));
      await root.removeTemporary();
    },
  };
}

type Wanted = ReturnType<typeof wantedOf>[number];

const wantedOf = (state: State, now: EpochMs, secretPrefix: string) =>
  presentPods(state).flatMap((pod) => {
    const start = startedAt(pod, now);
    const isOpen = statusAt(pod, now) === 'RUNNING' && pod.ports.includes('22/tcp');
    if (!isOpen || start === null || pod.env['PUBLIC_KEY'] === undefined) return [];
    return [
      {
        id: pod.id,
        start,
        publicKeys: keysOf(state, pod),
        variables: bootEnvironment(state, secretPrefix, pod.env).variables,
        mounts: { ...pod.mounts },
      },
    ];
  });

/** A pod's own SSH_PUBLIC_KEY replaces the account's keys at its start (storage contract). */
function keysOf(state: State, { env, history }: PodRecord): readonly string[] {
  const own = env['SSH_PUBLIC_KEY'];
  if (own !== undefined) return own.split('\n');
  const launch = history.findLast((event) => event.kind === 'launch');
  return [...(env['PUBLIC_KEY'] ?? '').split('\n'), ...(launch?.sshKeys ?? sshKeys.of(state))];
}

async function open(options: ContainerOptions, generation: string, wanted: Wanted): Promise<PodContainer> {
  const { id, start, publicKeys, variables, mounts } = wanted;
  const pod = join(generation, id);
  const folder = join(pod, String(start));
  const hostKeyFile = `${folder}.key`;
  // Another process may be making the host key of this start, under a name of its own.
  const isKept = (name: string): boolean => name === PERSISTENT || name.split('.')[0] === String(start);
  for (const name of await namesIn(pod)) if (!isKept(name)) await removeFolder(join(pod, name));
  const home = join(folder, 'root');
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const mounted: { path: string; target: string }[] = [];
  if (mounts.persistent !== undefined) {
    const target = join(pod, PERSISTENT);
    await fs.mkdir(target, { recursive: true, mode: 0o700 });
    mounted.push({ path: mounts.persistent.path, target });
  }
  for (const { volumeId, path } of mounts.network ?? []) {
    const target = await options.volumeFolder(volumeId);
    if (target !== undefined) mounted.push({ path, target });
  }
  return options.start({ folder, home, mounts: mounted, username: USERNAME, publicKeys, variables, hostKeyFile });
}

const PERSISTENT = 'persistent';

/** Also removes files of earlier generations of the state. */
async function clean(root: string, generation: string, kept: ReadonlySet<string>): Promise<void> {
  for (const name of await namesIn(root)) if (name !== generation) await removeFolder(join(root, name));
  for (const name of await namesIn(join(root, generation)))
    if (!kept.has(name)) await removeFolder(join(root, generation, name));
}

export interface PodContainer {
  /** On the loopback address. */
  readonly port: number;
  stop(): Promise<void>;
}

export interface ContainerSpec {
  readonly folder: string;
  /** In `folder`; made where it is missing. */
  readonly home: string;
  /** Folders of this machine at paths of the container: the parts of it that outlive a start. */
  readonly mounts: readonly { readonly path: string; readonly target: string }[];
  readonly username: string;
  /** Lines of OpenSSH public keys that open it; those that cannot be read open nothing. */
  readonly publicKeys: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Made where it is missing: every server of one start of the pod has the same key. */
  readonly hostKeyFile: string;
}

export type StartContainer = (spec: ContainerSpec) => Promise<PodContainer>;
