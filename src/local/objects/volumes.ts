import { promises as fs } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type VolumeRecord, volumes } from '../model/records.ts';
import type { Transact } from '../state/state.ts';
import { ObjectError } from './request.ts';
import { makeFolder, Volume } from './volume.ts';

export type FolderRoot = ReturnType<typeof folderRoot>;

/** The given folder, or a temporary one, made on first use. */
export function folderRoot(given: string | undefined, name: 'volumes' | 'pods') {
  let made: Promise<string> | undefined;
  return {
    path: async (): Promise<string> => given ?? (made ??= fs.mkdtemp(join(tmpdir(), `berth-${name}-`))),
    /** Undefined before the first use of a temporary one. */
    known: (): Promise<string | undefined> =>
      (given === undefined ? (made ?? Promise.resolve(undefined)) : Promise.resolve(given)).catch(() => undefined),
    removeTemporary: async (): Promise<void> => {
      const folder = await made?.catch(() => undefined);
      if (folder !== undefined) await removeFolder(folder);
    },
  };
}

/** A program that was just ended may still have written there: the first try can fail. */
export const removeFolder = (folder: string): Promise<void> =>
  fs.rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });

const GB = 1_000_000_000;

/** Folders that were made here: what else is in the user's folder stays. */
const GENERATION = /^[0-9a-f]{8}\d*$/;
const VOLUME = /^vol-[\w-]+(\.etags)?$/;

export type VolumeFolders = ReturnType<typeof createVolumeFolders>;

/** Below the generation of the state: a reset gives volumes their old ids, but not their files. */
export function createVolumeFolders(transact: Transact, root: FolderRoot) {
  const opened = new Map<string, Promise<Volume>>();
  const find = async (id: string) => {
    const path = await root.path();
    return transact((state) => {
      const volume = volumes.get(state, id);
      return volume && { ...volume, folder: join(path, state.generation, id) };
    });
  };

  return {
    of: (region: string): Promise<readonly VolumeRecord[]> =>
      transact((state) => volumes.all(state).flatMap((each) => (isIn(each, region) ? [{ ...each }] : []))),

    /** Throws the refusal where the data center has none. */
    open: async (id: string, region: string): Promise<Volume> => {
      const found = await find(id);
      if (found === undefined)
        throw new ObjectError(404, 'NoSuchBucket', 'No volume has this id: buckets are named by ids of volumes.');
      const { folder, size, dataCenter } = found;
      if (!isIn(found, region)) {
        const wrong = `The region '${region}' is wrong; expecting '${dataCenter}'`;
        throw new ObjectError(400, 'AuthorizationHeaderMalformed', wrong);
      }
      const opening = opened.get(folder) ?? Volume.open(folder, size * GB);
      opened.set(folder, opening);
      opening.catch(() => opened.delete(folder));
      const volume = await opening;
      volume.capacity = size * GB;
      return volume;
    },

    /** Makes the folder; undefined where there is no such volume. */
    folder: async (id: string): Promise<string | undefined> => {
      const found = await find(id);
      if (found !== undefined) await makeFolder(found.folder);
      return found?.folder;
    },

    /** Removes the folders of deleted volumes. */
    clean: async (): Promise<void> => {
      const path = await root.known();
      if (path === undefined) return;
      const { generation, kept } = await transact((state) => ({
        generation: state.generation,
        kept: new Set(volumes.all(state).flatMap(({ id }) => [id, `${id}.etags`])),
      }));
      for (const name of await namesIn(path))
        if (GENERATION.test(name) && name !== generation) await removeFolder(join(path, name));
      for (const name of await namesIn(join(path, generation)))
        if (VOLUME.test(name) && !kept.has(name)) await removeFolder(join(path, generation, name));
      opened.clear();
    },
  };
}

export const namesIn = (folder: string): Promise<readonly string[]> => fs.readdir(folder).catch(() => []);

/** Regions are sent in any case. */
const isIn = ({ dataCenter }: VolumeRecord, region: string): boolean =>
  dataCenter.toLowerCase() === region.toLowerCase();
