import path from 'node:path';
import { expect } from 'vitest';
import { cleanEnvironment, installedAt, nodePath, packageTest, runProgram, temporaryFolder } from './support.ts';

const CHAOS = path.join(import.meta.dirname, '../chaos/run.mjs');

/** The short form of `npm run chaos`. */
packageTest(
  'batches with kills, faults, clock jumps and full disks lose nothing and send nothing twice',
  async () => {
    const args = [CHAOS, '--rounds', '2', '--program', installedAt()];
    const env = { ...(await cleanEnvironment()), TMPDIR: await temporaryFolder() };
    const { code, stdout } = await runProgram(nodePath(), args, { env });
    console.log(`note: ${stdout.split('\n')[0] ?? ''}`);
    expect([code, stdout]).toEqual([0, expect.stringContaining('lost: 0, double: 0, findings: 0')]);
  },
  600_000,
);
