import { createHash } from 'node:crypto';
import { memberAt, objectOf, type Json, parsePlainJson } from '../../../core/json.ts';
import type { PodFiles } from '../reach/files/pod-files.ts';
import type { Bytes } from '../../../core/unit-types.ts';

/** The file in the folder of the pod that says what berth put there. */
export const MANIFEST_NAME = '.berth-dev.json';

/** What berth put into a folder of a pod: the SHA-256 of each file, by its path. */
export type Manifest = ReadonlyMap<string, string>;

/** The largest that is read. */
const MAX_MANIFEST: Bytes = 67_108_864;

/**
 * Reads it; undefined where there is none, or it is none of berth's: then it is not known what berth put there. It comes from the
 * pod, and files are removed by it: a path that leads out of the folder counts as none.
 */
export async function readManifest(files: PodFiles, target: string): Promise<Manifest | undefined> {
  const path = `${target}/${MANIFEST_NAME}`;
  const there = await files.look(path);
  if (there?.kind !== 'file' || there.bytes > MAX_MANIFEST) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of files.read(path, 0, there.bytes)) chunks.push(chunk);
  let value: Json;
  try {
    value = parsePlainJson(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
  const found = objectOf(memberAt(value, 'files'));
  if (found === undefined) return undefined;
  return new Map(
    Object.entries(found).flatMap(([each, digest]) =>
      isInside(each) && typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest) ? [[each, digest]] : [],
    ),
  );
}

const isInside = (path: string): boolean =>
  path !== MANIFEST_NAME && path.split('/').every((part) => !['', '.', '..'].includes(part));

/** Replaces it, whole. */
export async function writeManifest(files: PodFiles, target: string, manifest: Manifest): Promise<void> {
  const document = { version: 1, files: Object.fromEntries([...manifest].toSorted()) };
  const bytes = Buffer.from(`${JSON.stringify(document)}\n`);
  const digest = createHash('sha256').update(bytes).digest('hex');
  await files.put(`${target}/${MANIFEST_NAME}`, {
    bytes: bytes.byteLength,
    version: digest,
    mode: 0o644,
    digest: () => Promise.resolve(digest),

    read: async function* (start, end) {
      yield bytes.subarray(start, end);
    },
  });
}
