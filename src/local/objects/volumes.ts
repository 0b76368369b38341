import { promises as fs } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../core/context.ts';
import type { FaultPoint } from '../../core/fault-kinds.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { type FaultedRequest, type FaultRecord, faults, takeFaultsAt } from '../http/injected-faults.ts';
import { type VolumeRecord, volumes } from '../model/volumes.ts';
import { ObjectError } from './answers.ts';
import { openVolume, type Volume } from './volume.ts';
import type { State, Transact } from '../state/state.ts';

export interface VolumeFolders {
  of(region: string): Promise<readonly VolumeRecord[]>;
  /** Throws the refusal where the data center has none. */
  open(id: string, region: string): Promise<Volume>;
  /** Makes the folder; undefined where there is no such volume. */
  folder(id: string): Promise<string | undefined>;
  /** Removes the folders of deleted volumes. */
  clean(): Promise<void>;
  /** Removes all folders where they were made for this run only. */
  close(): Promise<void>;
}

export const temporaryRoot = (name: 'volumes' | 'pods') => (): Promise<string> =>
  fs.mkdtemp(join(tmpdir(), `berth-${name}-`));

const GB = 1_000_000_000;

/** Folders that were made here: what else is in the user's folder stays. */
const GENERATION = /^[0-9a-f]{8}\d*$/;
const VOLUME = /^vol-[\w-]+(\.etags)?$/;

/** Below the generation of the state: a reset gives volumes their old ids, but not their files. */
export function createVolumeFolders(transact: Transact, root: string | (() => Promise<string>)): VolumeFolders {
  const opened = new Map<string, Promise<Volume>>();
  /** Sizes in bytes by the folders of volumes: one may grow while it is open. */
  const sizes = new Map<string, number>();
  let made: Promise<string> | undefined;
  const rootPath = (): Promise<string> => (typeof root === 'string' ? Promise.resolve(root) : (made ??= root()));
  const folderOf = (path: string, { generation }: State, id: string): string => join(path, generation, id);

  return {
    of: (region) =>
      transact((state) =>
        volumes
          .all(state)
          .filter(({ dataCenter }) => isSame(dataCenter, region))
          .map((each) => ({ ...each })),
      ),
    open: async (id, region) => {
      const path = await rootPath();
      const { folder, size, dataCenter } = await transact((state) => {
        const volume = volumes.get(state, id);
        if (volume === undefined)
          throw new ObjectError(
            404,
            'NoSuchBucket',
            'The specified bucket does not exist: its name is the id of a volume.',
          );
        return { folder: folderOf(path, state, id), size: volume.size, dataCenter: volume.dataCenter };
      });
      if (!isSame(dataCenter, region))
        throw new ObjectError(
          400,
          'AuthorizationHeaderMalformed',
          `The region '${region}' is wrong; expecting '${dataCenter}'`,
        );
      sizes.set(folder, size * GB);
      const known = opened.get(folder);
      if (known !== undefined) return known;
      const opening = openVolume(folder, `${folder}.etags`, () => sizes.get(folder) ?? 0);
      opened.set(folder, opening);
      opening.catch(() => opened.delete(folder));
      return opening;
    },
    folder: async (id) => {
      const path = await rootPath();
      const folder = await transact((state) =>
        volumes.get(state, id) === undefined ? undefined : folderOf(path, state, id),
      );
      if (folder !== undefined) await fs.mkdir(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
    clean: async () => {
      const path = typeof root === 'string' ? root : await made;
      if (path === undefined) return;
      const { generation, ids } = await transact((state) => ({
        generation: state.generation,
        ids: volumes.all(state).map(({ id }) => id),
      }));
      const kept = new Set(ids.flatMap((id) => [id, `${id}.etags`]));
      for (const name of await namesIn(path))
        if (GENERATION.test(name) && name !== generation)
          await fs.rm(join(path, name), { recursive: true, force: true });
      for (const name of await namesIn(join(path, generation)))
        if (VOLUME.test(name) && !kept.has(name))
          await fs.rm(join(path, generation, name), { recursive: true, force: true });
      opened.clear();
    },
    close: async () => {
      if (made !== undefined) await fs.rm(await made, { recursive: true, force: true });
    },
  };
}

const namesIn = (folder: string): Promise<readonly string[]> => fs.readdir(folder).catch(() => []);

/** Regions are sent in any case. */
const isSame = (dataCenter: string, region: string): boolean => dataCenter.toLowerCase() === region.toLowerCase();

export interface ObjectPorts {
  readonly folders: VolumeFolders;
  readonly takeFaultsAt: (points: readonly FaultPoint[], request: FaultedRequest) => Promise<readonly FaultRecord[]>;
  readonly sleep: (milliseconds: Milliseconds) => Promise<void>;
  /** The time of this machine, not that of the service, which may be moved: clients' clocks are checked. */
  readonly time: () => number;
}

interface Parts extends Pick<ObjectPorts, 'folders' | 'sleep'> {
  readonly transact: Transact;
  readonly clock: Clock;
  readonly random: () => number;
}

export const createObjectPorts = ({ folders, transact, clock, random, sleep }: Parts): ObjectPorts => ({
  folders,
  takeFaultsAt: (points, request) => transact((state) => takeFaultsAt(faults.of(state), points, request, random)),
  sleep,
  // eslint-disable-next-line no-restricted-syntax -- a date
  time: () => clock.now(),
});
