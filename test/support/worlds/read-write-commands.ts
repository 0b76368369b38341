import { json, routed, type Behaviour } from '../servers/scripted-server.ts';

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
export const READS: Readonly<Record<string, Read>> = {
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
export const WRITES: Readonly<Record<string, Write>> = {
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

/** Applies a behaviour to the write only. The read that precedes it (ssh-keys add) gets a normal answer. */
export const onWrite = (behaviour: Behaviour): Behaviour =>
  routed(
    {
      'GET /v2/account/ssh-keys': json({ keys: [] }),
    },
    behaviour,
  );
