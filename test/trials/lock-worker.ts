import { appendFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { realClock } from '../../src/host/runtime/runtime.ts';
import { openDurable } from '../../src/host/files/durable-files.ts';
import { createFileLocks } from '../../src/host/lock/file-locks.ts';

/**
 * A program that works under a lock, as a batch does: `FOLDER NAME STEPS`. It retries until it gets the lock, and records its
 * actions in the file `witness`, independently of the lock. It appends each step to the file `journal` after the check of the
 * lock, and reports it when it is synced. Exits with 0 when it is done, with 3 when the lock was taken over.
 */
const [folder = '', name = '', steps = '3'] = process.argv.slice(2);

const say = (word: string): void => {
  appendFileSync(`${folder}/witness`, `${word} ${name}\n`);
};

async function work(): Promise<number> {
  const signal = new AbortController().signal;
  // Heartbeats at a tenth of the usual interval, so that a trial takes seconds.
  const locks = createFileLocks({ clock: realClock, heartbeat: { intervalMs: 100, timeoutMs: 1000 } });
  const durable = openDurable({ stdin: Readable.from([]), cwd: folder }, signal, locks);
  const take = async (): Promise<() => Promise<void>> => {
    for (;;) {
      try {
        return await durable.lock('lock', ['journal']);
      } catch (error) {
        const { exit, message } = error as { exit?: number; message: string };
        if (exit !== 14 || !message.includes('another berth is at work')) throw error;
        await realClock.sleep(2 + Math.random() * 4);
      }
    }
  };
  const release = await take();
  say('enter');
  try {
    const file = await durable.open('journal');
    for (let step = 0; step < Number(steps); step++) {
      await file.append(Buffer.from(`${name} ${String(step)}\n`));
      await file.sync();
      process.stdout.write(`${name} ${String(step)}\n`);
      await realClock.sleep(1);
    }
    await file.close();
    say('leave');
    await release();
    return 0;
  } catch (error) {
    if (!(error as Error).message.includes('has taken over')) throw error;
    await release();
    return 3;
  }
}

process.exitCode = await work();
