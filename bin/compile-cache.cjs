'use strict';
// Used with a Node version for which the package has no code cache. Code in a compile cache runs as this user, so the
// cache must be in a directory that no other user can write to.
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

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
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

/** Returns the user's cache directory, by the conventions of the platform. */
function userCacheFolder(env) {
  if (env.XDG_CACHE_HOME && path.isAbsolute(env.XDG_CACHE_HOME)) return env.XDG_CACHE_HOME;
  return path.join(os.homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache');
}

/**
 * Returns the directory for Node's compile cache, and creates it when it is missing. Returns undefined when no directory is
 * private to this user, and on systems without user ids: the program then runs without a cache.
 */
exports.compileCacheFolder = function compileCacheFolder(env) {
  if (!process.geteuid) return undefined;
  try {
    const folder = path.join(userCacheFolder(env), 'berth');
    makeFolder(path.dirname(folder));
    makeFolder(folder);
    // Resolved, so that Node's path contains no link that could be changed later.
    const real = fs.realpathSync(folder);
    return isPrivateFolder(real, process.geteuid()) ? real : undefined;
  } catch {
    return undefined;
  }
};
