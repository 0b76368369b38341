/** Modes of files that do not depend on the umask of whoever builds: archives store them. */
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

/** Makes a file, or all in a folder, readable by everybody and writable by its owner only; programs and folders get x. */
export async function setModes(place) {
  const stats = await stat(place);
  await chmod(place, stats.isDirectory() || (await isProgram(place)) ? 0o755 : 0o644);
  if (!stats.isDirectory()) return;
  const entries = await readdir(place, { withFileTypes: true });
  await Promise.all(
    entries.filter((entry) => !entry.isSymbolicLink()).map(({ name }) => setModes(path.join(place, name))),
  );
}

/** Whether a file is a script with an interpreter, or a program or library in the format ELF. */
const isProgram = async (file) => /^(#!|\x7fELF)/.test((await readFile(file)).toString('latin1', 0, 4));
