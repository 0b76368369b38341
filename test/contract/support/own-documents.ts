/** Command lines of a command that prints documents of berth's own, or of the queue, on an account of the local service. */
export interface Lines {
  /** The last one prints what is checked; those before it prepare it. */
  readonly full?: readonly string[];
  /** With nothing there to print. */
  readonly empty?: readonly string[];
  readonly failing: readonly string[];
}

const BATCH = 'jobs batch run echo --input items.jsonl --out r.jsonl';
const FAILED_BATCH = 'jobs batch run fail --input items.jsonl --out f.jsonl';

/** Commands that no row of `INVOCATIONS` has. `items.jsonl` has two items. */
export const OWN_DOCUMENTS: Readonly<Record<string, Lines>> = {
  'auth list': { full: ['auth login --with-key', 'auth list'], empty: ['auth list'], failing: ['auth list more'] },
  'auth logout': {
    full: ['auth login --with-key --no-check --profile lab --base-url https://a.example', 'auth logout --profile lab'],
    failing: ['auth logout --profile none'],
  },
  'auth switch': { full: ['auth switch local'], failing: ['auth switch none'] },
  'config get': { full: ['config get base-url'], empty: ['config get alias.none'], failing: ['config get none'] },
  'config set': { full: ['config set timeout 60s --profile lab'], failing: ['config set timeout never'] },
  'config unset': {
    full: ['config unset timeout --profile lab'],
    empty: ['config unset alias.none'],
    failing: ['config unset none'],
  },
  'local fault clear': { full: ['local fault clear'], failing: ['local fault clear none'] },
  'local stock clear': { full: ['local stock clear'], failing: ['local stock clear more'] },
  'pods ssh-config': { full: ['pods ssh-config'], failing: ['pods ssh-config --install --uninstall'] },
  'config list': { full: ['config list'], failing: ['config list more'] },
  'files ls': {
    full: ['files cp items.jsonl datasets:a/', 'files ls -r datasets:'],
    empty: ['files ls datasets:'],
    failing: ['files ls datasets:none'],
  },
  'files mv': {
    full: ['files cp items.jsonl datasets:a/', 'files mv datasets:a/items.jsonl datasets:b/'],
    failing: ['files mv datasets:none datasets:b/'],
  },
  'files sync': { full: ['files sync folder/ datasets:a'], failing: ['files sync none/ datasets:a'] },
  'files du': { full: ['files cp items.jsonl datasets:a/', 'files du datasets:'], failing: ['files du datasets:none'] },
  'files cp': { full: ['files cp items.jsonl datasets:a/'], failing: ['files cp none datasets:'] },
  'files rm': {
    full: ['files cp items.jsonl datasets:a/', 'files rm datasets:a/items.jsonl --yes'],
    failing: ['files rm datasets:none --yes'],
  },
  limits: { full: ['limits'], failing: ['limits --profile nobody'] },
  'jobs batch run': {
    full: [BATCH],
    failing: [FAILED_BATCH],
  },
  'jobs batch resume': {
    full: [BATCH, 'jobs batch resume r.jsonl'],
    failing: [FAILED_BATCH, 'jobs batch resume f.jsonl --resubmit failed'],
  },
  'jobs batch status': {
    full: [BATCH, 'jobs batch status r.jsonl'],
    failing: [FAILED_BATCH, 'jobs batch status f.jsonl --exit-status'],
  },
  'jobs batch report': {
    full: [BATCH, 'jobs batch report r.jsonl'],
    failing: ['jobs batch report r.jsonl'],
  },
  'jobs batch export': {
    full: [BATCH, 'jobs batch export r.jsonl --out e.jsonl'],
    empty: [BATCH, 'jobs batch export r.jsonl --status failed'],
    failing: ['jobs batch export r.jsonl'],
  },
  'jobs batch cancel': {
    empty: [BATCH, 'jobs batch cancel r.jsonl --yes'],
    failing: ['jobs batch cancel r.jsonl --yes'],
  },
  'local status': { full: ['local status'], failing: ['local status more'] },
  'local reset': { full: ['local reset --yes'], failing: ['local reset --seed other'] },
  'local clock show': { full: ['local clock show'], failing: ['local clock show more'] },
  'local clock advance': { full: ['local clock advance 5m'], failing: ['local clock advance soon'] },
  'local fault add': { full: ['local fault add server-error'], failing: ['local fault add other'] },
  'local fault list': {
    full: ['local fault add latency --match /none', 'local fault list'],
    empty: ['local fault list'],
    failing: ['local fault list more'],
  },
  'local stock list': {
    full: ['local stock set GPU-80G 0 --data-center EU-NORTH-1', 'local stock list'],
    empty: ['local stock list'],
    failing: ['local stock list more'],
  },
  'local stock price': {
    full: ['local stock price GPU-80G 2 --for 10m'],
    failing: ['local stock price GPU-OTHER 1'],
  },
  'local pods use': {
    full: ['local pods use pod-train --gpu 0 --for 5m'],
    failing: ['local pods use pod-none --gpu 0'],
  },
  'local stock set': {
    full: ['local stock set GPU-80G 0 --data-center EU-NORTH-1'],
    failing: ['local stock set GPU-OTHER 0'],
  },
  'local env': { full: ['local env'], failing: ['local env --port 0'] },
  // It needs a service that is served: test/e2e and test/unit/commands/local.
  'local worker-env': { full: [], failing: ['local worker-env echo'] },
  help: { full: ['help'], failing: ['help nothing'] },
  version: { full: ['version'], failing: ['version --check http://downloads.example.com/version.json'] },
  schema: { full: ['schema'], failing: ['schema nothing'] },
};

/** What runs of commands of the queue can be on a new account: the recorder answers every job as completed. */
export const JOBS: Readonly<Record<string, Lines>> = {
  'jobs run': {
    full: ['jobs run stream --input {"chunks":2} --stream'],
    failing: ['jobs run fail --input {} --wait'],
  },
  'jobs recent': {
    full: ['jobs run echo --input {}', 'jobs recent echo'],
    empty: ['jobs recent'],
    failing: [],
  },
  'pods wait': { full: [], failing: ['pods wait pod-broken'] },
  'pods get': { full: ['pods get pod-train'], failing: ['pods get pod-broken --exit-status'] },
  'pods explain': { full: ['pods explain pod-train'], failing: ['pods explain pod-broken --exit-status'] },
  'guard run': { full: [], empty: ['guard run'], failing: ['guard run --max-age 1m'] },
  'pods start': { full: [], failing: ['pods start pod-train nothing'] },
  'billing report': { full: ['billing report'], failing: ['billing report --budget 0.01 --last 30d'] },
  health: { full: ['jobs run echo --input {} --wait', 'health echo'], failing: [] },
  top: { full: ['jobs run echo --input {} --wait', 'top --once'], failing: [] },
};
