/** The digest of a file that a server stated, by the name of the algorithm. */
export type StatedDigests = ReadonlyMap<string, Buffer>;

const NAMES: Readonly<Record<string, string>> = { 'sha-256': 'sha256', 'sha-512': 'sha512', md5: 'md5' };

/**
 * Reads the digests of a whole file from the headers of an answer: Repr-Digest (RFC 9530), Digest (RFC 3230), Content-MD5,
 * and those of object stores. Content-Digest and Content-MD5 are about the body of the answer: not about the file when it
 * is a part of it. An ETag is no digest: servers make it in many ways.
 */
export function expectedDigests(headers: Readonly<Record<string, string>>, isPart: boolean): StatedDigests {
  const stated = new Map<string, Buffer>();
  const add = (name: string | undefined, base64: string | undefined): void => {
    const known = NAMES[name?.toLowerCase() ?? ''];
    if (known !== undefined && base64 !== undefined) stated.set(known, Buffer.from(base64, 'base64'));
  };
  const structured = [headers['repr-digest'], isPart ? undefined : headers['content-digest']];
  for (const text of structured)
    for (const [, name, base64] of (text ?? '').matchAll(/([\w-]+)=:([A-Za-z0-9+/=]+):/g)) add(name, base64);
  for (const [, name, base64] of (headers['digest'] ?? '').matchAll(/([\w-]+)=([A-Za-z0-9+/=]+)/g)) add(name, base64);
  if (!isPart) add('md5', headers['content-md5']);
  // The checksum of a file that was uploaded in parts is one of their checksums, and ends with their number.
  if (!/-\d+$/.test(headers['x-amz-checksum-sha256'] ?? '')) add('sha-256', headers['x-amz-checksum-sha256']);
  add('md5', /\bmd5=([A-Za-z0-9+/=]+)/.exec(headers['x-goog-hash'] ?? '')?.[1]);
  return stated;
}

/** Returns the name of a digest that differs; undefined when none does. */
export function mismatch(stated: StatedDigests, found: ReadonlyMap<string, Buffer>): string | undefined {
  for (const [name, digest] of stated) if (found.get(name)?.equals(digest) !== true) return name.toUpperCase();
  return undefined;
}
