/** Starts the server of `server.mjs`. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Every request is answered with `document`, which is kept in `home`. Returns the addresses, and a function that stops it. */
export async function serve(document, home) {
  const file = path.join(home, 'answer.json');
  await writeFile(file, JSON.stringify(document));
  const child = fork(fileURLToPath(new URL('server.mjs', import.meta.url)), [file]);
  const [addresses] = await once(child, 'message');
  return { ...addresses, stop: () => child.disconnect() };
}
