import path from 'node:path';
import { expect } from 'vitest';
import { cleanEnvironment, installedAt, nodePath, packageTest, runProgram, temporaryFolder } from './support.ts';

const CHAOS = path.join(import.meta.dirname, '../chaos/run.mjs');

/** The short form of `npm run chaos`: two rounds that draw each kind of trouble of the title, and no long wait. */
packageTest(
  'batches with kills, faults, clock jumps and full disks lose nothing and send nothing twice',
  async () => {
    const args = [CHAOS, '--rounds', '2', '--seed', '2342', '--program', installedAt()];
    const env = { ...(await cleanEnvironment()), TMPDIR: await temporaryFolder() };
    const { code, stdout } = await runProgram(nodePath(), args, { env });
    expect([code, stdout]).toEqual([0, expect.stringContaining('lost: 0, double: 0, findings: 0')]);
  },
  300_000,
);
