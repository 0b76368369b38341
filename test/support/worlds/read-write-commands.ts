import { expect, test } from 'vitest';
import { json, routed, type Behaviour } from '../servers/scripted-server.ts';
import { fails } from './expect-run.ts';
import type { TestWorldOptions } from './test-world.ts';

/** A command that only reads. */
export interface Read {
  readonly argv: readonly string[];
}

/** A command that writes. */
export interface Write extends Read {
  /** What tells whether it happened when its answer was lost. */
  readonly checkCommand: string;
  /** Requests that come before the write itself. */
  readonly before?: number;
}

/** Commands that only read, by name. */
const READS: Readonly<Record<string, Read>> = {
  'pods get': { argv: ['pods', 'get', 'pod1'] },
  'pods list': { argv: ['pods', 'list'] },
  'pods wait': { argv: ['pods', 'wait', 'pod1'] },
  'pods ssh': { argv: ['pods', 'ssh', 'pod1'] },
  'jobs status': { argv: ['jobs', 'status', 'ep1', 'job1'] },
  'jobs stream': { argv: ['jobs', 'stream', 'ep1', 'job1'] },
  'jobs wait': { argv: ['jobs', 'wait', 'ep1', 'job1'] },
  health: { argv: ['health', 'ep1'] },
  'catalog gpus': { argv: ['catalog', 'gpus'] },
  'catalog cpus': { argv: ['catalog', 'cpus'] },
  'catalog templates': { argv: ['catalog', 'templates'] },
  'billing summary': { argv: ['billing', 'summary', '--last', '7'] },
  'account ssh-keys list': { argv: ['account', 'ssh-keys', 'list'] },
  'api GET': { argv: ['api', 'GET', '/v2/pods'] },
};

// Without the line that says what it costs.
const VOLUME = ['volumes', 'create', '--name', 'data', '--size', '100', '--data-center', 'DC-1', '--quiet'];

/** Commands that write, by name. */
const WRITES: Readonly<Record<string, Write>> = {
  'jobs run': { argv: ['jobs', 'run', 'ep1', '--input', '{}'], checkCommand: 'berth health ep1' },
  'jobs run --sync': { argv: ['jobs', 'run', 'ep1', '--input', '{}', '--sync'], checkCommand: 'berth health ep1' },
  'jobs cancel': { argv: ['jobs', 'cancel', 'ep1', 'job1'], checkCommand: 'berth jobs status ep1 job1' },
  'jobs retry': { argv: ['jobs', 'retry', 'ep1', 'job1'], checkCommand: 'berth jobs status ep1 job1' },
  'queue purge': { argv: ['queue', 'purge', 'ep1', '--yes'], checkCommand: 'berth health ep1' },
  'pods update': { argv: ['pods', 'update', 'pod1', '--name', 'x'], checkCommand: 'berth pods get pod1' },
  'pods stop': { argv: ['pods', 'stop', 'pod1'], checkCommand: 'berth pods get pod1' },
  'pods terminate': { argv: ['pods', 'terminate', 'pod1', '--force', '--yes'], checkCommand: 'berth pods list' },
  'volumes create (v1)': { argv: VOLUME, checkCommand: 'berth volumes list' },
  'volumes create (v2)': { argv: [...VOLUME, '--type', 'STANDARD'], checkCommand: 'berth volumes list' },
  'delegations revoke': {
    argv: ['registries', 'delegations', 'revoke', 'd1', '--yes'],
    checkCommand: 'berth registries delegations list',
  },
  'ssh-keys add': {
    argv: ['account', 'ssh-keys', 'add', 'ssh-ed25519 AAAA me@host'],
    checkCommand: 'berth account ssh-keys list',
    before: 1,
  },
  'api POST': { argv: ['api', 'POST', '/v2/pods', '--input', '{}'], checkCommand: 'Look at the present state' },
};

/** Rows for `test.each`. */
export const reads = Object.entries(READS);
export const writes = Object.entries(WRITES);

/** Of each kind of path and wait, for what the one layer below all commands does; a 502 and a refusal are tried with every one. */
const FEW = ['pods get', 'jobs wait', 'api GET', 'jobs run', 'jobs retry', 'pods terminate', 'api POST'];
export const someReads = reads.filter(([name]) => FEW.includes(name));
export const someWrites = writes.filter(([name]) => FEW.includes(name));

/** A trouble with an answer, and what berth makes of it. */
interface Trouble {
  readonly trouble: Behaviour;
  /** What both errors say. */
  readonly says: readonly (string | RegExp)[];
  /** How many requests a read sends; one by default. */
  readonly tries?: number;
  /** The commands that take the answer for an error; all by default. */
  readonly only?: (name: string) => boolean;
  /** What each run has, such as a clock. */
  readonly world?: () => TestWorldOptions;
}

/** Declares tests: a read ends 7 after so many tries, a write is sent once, ends 8 and names the command that finds out. */
export function testEnds({ trouble, says, tries = 1, only = () => true, world = () => ({}) }: Trouble): void {
  const isConcerned = ([name]: readonly [string, Read]): boolean => only(name);
  test.each(someReads.filter(isConcerned))('%s ends 7', async (_, { argv }) => {
    const { servers } = await fails(argv, { exit: 7, says: [...says, 'Nothing changed'] }, [trouble], world());
    expect(servers[0].seen).toHaveLength(tries);
  });
  test.each(someWrites.filter(isConcerned))('%s ends 8', async (_, { argv, checkCommand, before = 0 }) => {
    const expected = { exit: 8, says: [...says, 'may have happened', checkCommand] } as const;
    const { servers } = await fails(argv, expected, [onWrite(trouble)], world());
    expect(servers[0].seen.length - before).toBe(1);
  });
}

/** Applies a behaviour to the write only. The read that precedes it (ssh-keys add) gets a normal answer. */
export const onWrite = (behaviour: Behaviour): Behaviour =>
  routed(
    {
      'GET /v2/account/ssh-keys': json({ keys: [] }),
    },
    behaviour,
  );
