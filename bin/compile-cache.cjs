'use strict';
// Loaded on a Node for which the package has no compiled form. What is in a compile cache runs as this user, so it is
// read only from a folder that nobody else can write to.
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * True where `folder` is a directory of this user with mode 0700, and no other user but root can put another in its
 * place: every directory above it belongs to this user or root, and others may not write there. In a sticky one, such
 * as /tmp, they may: what is in it can be renamed by its owner only.
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

/** Makes a folder, none above it: the system's own way to make those too never ends under /proc. */
function make(folder) {
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

/** The user's folder for caches, by the conventions of the platform. */
function userCacheFolder(env) {
  if (env.XDG_CACHE_HOME && path.isAbsolute(env.XDG_CACHE_HOME)) return env.XDG_CACHE_HOME;
  return path.join(os.homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache');
}

/**
 * Where the compile cache of Node may lie; made if it is missing. Undefined where no folder is private to this user,
 * and on systems without user ids: the program then runs without a cache.
 */
exports.compileCacheFolder = function compileCacheFolder(env) {
  if (!process.geteuid) return undefined;
  try {
    const folder = path.join(userCacheFolder(env), 'berth');
    make(path.dirname(folder));
    make(folder);
    // What Node is given has no link in it that could lead elsewhere later.
    const real = fs.realpathSync(folder);
    return isPrivateFolder(real, process.geteuid()) ? real : undefined;
  } catch {
    return undefined;
  }
};
