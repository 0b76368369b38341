import { promises as fs } from 'node:fs';

/** The variable that the programs of one server of a container have, also those that have left their process group. */
export const CONTAINER_VARIABLE = 'BERTH_CONTAINER';

/** Rounds in which processes are looked for: one may start another while it is ended. */
const MAX_ROUNDS = 20;

/**
 * Kills all processes that have this value of CONTAINER_VARIABLE, as the end of a container does. They are found in /proc, where
 * this user may read their environment: on a system without it, those that have left their process group go on.
 */
export async function endContainerProcesses(value: string): Promise<void> {
  const sought = `${CONTAINER_VARIABLE}=${value}`;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const ids = (await fs.readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
    const found = await Promise.all(ids.map((id) => hasVariable(id, sought)));
    const own = ids.filter((_, at) => found[at]);
    if (own.length === 0) return;
    for (const id of own) kill(Number(id));
  }
}

/** False for a process that has ended, a zombie, and that of another user. */
async function hasVariable(id: string, sought: string): Promise<boolean> {
  const environment = await fs.readFile(`/proc/${id}/environ`, 'latin1').catch(() => '');
  return environment.split('\0').includes(sought);
}

function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
