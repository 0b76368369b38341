import { folderRoot } from '../../../../src/local/objects/volumes.ts';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EpochMs, HOUR_MS } from '../../../../src/core/unit-types.ts';
import { type PodRecord, pods } from '../../../../src/local/model/pods.ts';
import { sshKeys } from '../../../../src/local/model/records.ts';
import { bootNote } from '../../../../src/local/resources/pods/configure.ts';
import { applyAction } from '../../../../src/local/resources/pods/document.ts';
import { createPodContainers, type StartContainer } from '../../../../src/local/containers.ts';
import { createState } from '../../../../src/local/state/state.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

const NOW = 1_790_000_000_000;

/** Containers of a new account; `start` starts each. */
function containersOf(start: StartContainer) {
  const state = createState(NOW);
  const root = temporaryDirectory();
  const containers = createPodContainers({
    transact: (step) => Promise.resolve(step(state, NOW)),
    start,
    secretPrefix: 'SECRET_',
    root: folderRoot(root, 'pods'),
    volumeFolder: () => Promise.resolve(undefined),
  });
  return { containers, folder: join(root, state.generation, 'pod-train') };
}

/** The start of the pod, as the name of its folder has it. */
const startIn = (folder: string): string => readdirSync(folder).find((name) => /^\d+$/.test(name)) ?? '';

describe('containers of pods', () => {
  it('have the keys that the account had at their start: one that is added opens them from the next start on', async () => {
    const state = createState(NOW);
    let now: EpochMs = NOW;
    const opened: (readonly string[])[] = [];
    const pod = (): PodRecord => pods.get(state, 'pod-train') ?? expect.unreachable();
    const restart = async (): Promise<readonly string[] | undefined> => {
      applyAction(pod(), 'restart', now, bootNote(state, { secretPrefix: 'SECRET_' }, pod()));
      now += HOUR_MS;
      const containers = createPodContainers({
        transact: (step) => Promise.resolve(step(state, now)),
        start: ({ folder, publicKeys }) => {
          if (folder.includes('pod-train')) opened.push(publicKeys);
          return Promise.resolve({ port: 4022, stop: () => Promise.resolve() });
        },
        secretPrefix: 'SECRET_',
        root: folderRoot(temporaryDirectory(), 'pods'),
        volumeFolder: () => Promise.resolve(undefined),
      });
      sshKeys.replace(state, ['ssh-ed25519 AAAA added-later']);
      await containers.sync();
      await containers.stop();
      return opened.at(-1);
    };
    expect(await restart()).not.toContain('ssh-ed25519 AAAA added-later');
    expect(await restart()).toContain('ssh-ed25519 AAAA added-later');
  });

  it('leave what another process makes for the same start, and remove what earlier starts left', async () => {
    const { containers, folder } = containersOf(() => Promise.reject(new Error('no port')));
    await containers.sync();
    const own = join(folder, `${startIn(folder)}.key.of-another-process`);
    const old = join(folder, '12.key');
    for (const file of [own, old]) writeFileSync(file, 'a key');
    await containers.sync();
    expect(existsSync(own)).toBe(true);
    expect(existsSync(old)).toBe(false);
  });
});
