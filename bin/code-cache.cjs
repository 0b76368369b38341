'use strict';
// The V8 code cache of the program's files, in a private directory of this user. The first run with a new V8 or a new version
// of berth writes it; later runs neither parse nor compile. Code in a cache runs as this user, so nobody else may be able to
// write to the directory. Without such a directory the program runs without a cache.
const fs = require('node:fs');
const path = require('node:path');

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

const CHUNK_BYTES = 65_536;

/** How many caches are kept: one for each version of berth and V8 that was used last. */
const MAX_CACHES = 4;

/**
 * True when `folder` is a directory of this user with mode 0700 that only this user and root can replace: every directory
 * above it belongs to this user or root, and is not writable by others. A sticky directory such as /tmp may be writable,
 * because only the owner of an entry can rename it.
 */
function isPrivateFolder(folder, uid) {
  const own = fs.lstatSync(folder);
  if (!own.isDirectory() || own.uid !== uid || (own.mode & 0o777) !== 0o700) return false;
  for (let at = folder; at !== path.dirname(at);) {
    at = path.dirname(at);
    const { uid: owner, mode } = fs.lstatSync(at);
    if (owner !== uid && owner !== 0) return false;
    if ((mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0) return false;
  }
  return true;
}

/** Creates a directory, but not its parents: the recursive mkdir never ends under /proc. */
function makeFolder(folder) {
  if (fs.existsSync(folder)) return;
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

/** True when this user is root and `folder`, or the nearest directory above it that exists, belongs to another user. */
function isForeignToRoot(folder) {
  if (process.geteuid() !== 0) return false;
  for (let at = folder; ; at = path.dirname(at)) {
    const found = fs.statSync(at, { throwIfNoEntry: false });
    if (found !== undefined) return found.uid !== 0;
  }
}

/** Returns the user's cache directory, by the conventions of the platform. */
function userCacheFolder(env) {
  if (env.XDG_CACHE_HOME && path.isAbsolute(env.XDG_CACHE_HOME)) return env.XDG_CACHE_HOME;
  // As os.homedir() does. That module is loaded only where it is needed, because it takes time.
  const home = (process.platform !== 'win32' && env.HOME) || require('node:os').homedir();
  return path.join(home, process.platform === 'darwin' ? 'Library/Caches' : '.cache');
}

/**
 * Returns the directory that holds the caches, and creates it when it is missing. Returns undefined when no directory is
 * private to this user, and on systems without user ids.
 */
function privateFolder(env) {
  if (!process.geteuid) return undefined;
  try {
    const folder = path.join(userCacheFolder(env), 'berth');
    // HOME may be empty or relative: the folder would be one below the working directory.
    if (!path.isAbsolute(folder)) return undefined;
    if (!fs.existsSync(folder)) {
      // What root creates there would keep that user out, and a cache that another user can change is not used anyway.
      if (isForeignToRoot(folder)) return undefined;
      makeFolder(path.dirname(folder));
      makeFolder(folder);
    }
    // Resolved, so that the path contains no link that could be changed later.
    const real = fs.realpathSync.native(folder);
    return isPrivateFolder(real, process.geteuid()) ? real : undefined;
  } catch {
    return undefined;
  }
}

/** The part of a file's name that says for what the cache was made. */
const cacheName = (version) => `${version}-${process.versions.v8}-${process.platform}-${process.arch}`;

/** Removes the caches of other versions, except for the latest ones. */
function removeOldCaches(folder, present) {
  const caches = fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== present)
    .map(({ name }) => ({ name, usedAt: fs.statSync(path.join(folder, name)).mtimeMs }))
    .sort((a, b) => b.usedAt - a.usedAt);
  for (const { name } of caches.slice(MAX_CACHES - 1))
    fs.rmSync(path.join(folder, name), { recursive: true, force: true });
}

/** Writes a file whole: a reader finds the old one, the new one, or none. Replaces nothing but a regular file. */
function replaceFile(file, data) {
  if (fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) return;
  const temporary = `${file}.${process.pid}.new`;
  try {
    fs.writeFileSync(temporary, data, { mode: 0o600, flag: 'wx' });
    fs.renameSync(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Reads a cache file: the cache twice, and the source that it was made of. V8 crashes on damaged data, and compares the cache
 * with the length of the source only. Returns undefined when the cache was made of another source or is damaged.
 *
 * A comparison takes less time than loading a module for checksums. The second copy and the source are read in chunks, because
 * memory that is used for the first time takes longer than the comparison.
 */
function readCache(file, source) {
  // Neither waits for the writer of a pipe nor follows a link. Where the system does not have the flags, they are undefined.
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;
  const descriptor = fs.openSync(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  try {
    if (!fs.fstatSync(descriptor).isFile()) return undefined;
    const size = (fs.fstatSync(descriptor).size - source.length) / 2;
    const data = Buffer.allocUnsafeSlow(size);
    fs.readSync(descriptor, data, 0, size, 0);
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    const isNext = (expected, start) => {
      for (let at = 0; at < expected.length; at += CHUNK_BYTES) {
        const length = Math.min(CHUNK_BYTES, expected.length - at);
        if (fs.readSync(descriptor, chunk, 0, length, start + at) !== length) return false;
        if (chunk.compare(expected, at, at + length, 0, length) !== 0) return false;
      }
      return true;
    };
    return isNext(data, size) && isNext(source, 2 * size) ? data : undefined;
  } finally {
    fs.closeSync(descriptor);
  }
}

/**
 * Returns the code cache of this V8 for this version of berth: `read` returns the cached data of a source text (a Buffer),
 * undefined when there is none or it is damaged; `write` stores the caches of V8 scripts. Neither throws. `env` is the
 * environment.
 */
exports.openCodeCache = function openCodeCache(env, version) {
  const parent = privateFolder(env);
  const name = cacheName(version);

  function read(file, source) {
    if (parent === undefined) return undefined;
    try {
      return readCache(path.join(parent, name, file), source);
    } catch {
      return undefined;
    }
  }

  /** `scripts` are objects with the file's name, its source (a Buffer) and the `vm.Script` that was made of it. */
  function write(scripts) {
    if (parent === undefined) return;
    try {
      const folder = path.join(parent, name);
      if (!fs.existsSync(folder)) removeOldCaches(parent, name);
      makeFolder(folder);
      for (const { file, source, script } of scripts) {
        const data = script.createCachedData();
        replaceFile(path.join(folder, file), Buffer.concat([data, data, source]));
      }
    } catch {
      // The next run is slower, and tries again.
    }
  }

  return { read, write };
};

exports.privateFolder = privateFolder;
