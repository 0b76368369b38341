import { expect, test } from 'vitest';
import { berth, cleanEnvironment } from './support.ts';
import { hasTerminal, inTerminal } from './terminal.ts';

const CREATE = ['pods', 'create', '--name', 'lab', '--gpu', 'GPU-80G', '--gpu-count', '4', '--image', 'a/b:1'];
const WAITS = /a (GPU|candidate)[^\n]*(room|of 2h)/;

test.skipIf(!hasTerminal)(
  'a create that waits for room asks first, and shows its progress after the answer',
  async () => {
    const env = await cleanEnvironment({ BERTH_LOCAL: '1' });
    expect((await berth(['local', 'stock', 'set', 'GPU-80G', 'none'], { env })).code).toBe(0);
    const session = await inTerminal({ columns: 120, rows: 24 }, [...CREATE, '--until-available', '2h'], env);
    await session.waitFor(/Create it for .*\? \(y\/N\)$/);
    expect(session.printed()).not.toMatch(WAITS);
    session.type('y');
    session.press('Enter');
    await session.waitFor(WAITS);
    session.press('C-c');
    expect(await session.waitFor('ended 130')).toContain('No pod was created.');
  },
);
