import { EXIT } from '../../core/exit-codes.ts';
import { isInterrupt, usage } from '../../core/failure.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import { isLoopback } from '../../core/addresses.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { manyOf, oneOf, ownObject, TEXT, WHOLE } from '../../cli/model/output-schema.ts';
import { arg, option } from '../../cli/model/params.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { idArgument } from '../../cli/resource/read.ts';
import { idOf, type View } from '../../output/view.ts';
import { PODS } from './resource.ts';
import { reachPod } from './reach-pod.ts';
import { START } from './start-first.ts';
import type { RowWriter } from '../../output/render.ts';
import { keepConnected } from './forward-connection.ts';
import type { Forward } from './ssh-tunnel.ts';

const FORWARD = ownObject({
  id: TEXT,
  direction: { ...oneOf('to-pod', 'from-pod'), description: 'which side connections go to' },
  address: { ...TEXT, description: 'of this machine' },
  local: WHOLE,
  remote: WHOLE,
});

const forwardView: View = {
  noun: ['forward', 'forwards'],
  id: idOf,
  members: ['id', 'direction', 'address', 'local', 'remote'],
  columns: [
    { header: 'HERE', show: (row) => `${stringAt(row, 'address') ?? ''}:${String(numberAt(row, 'local'))}` },
    { header: 'POD PORT', show: (row) => String(numberAt(row, 'remote')), right: true },
    textColumn('direction'),
  ],
};

export const forward = defineCommand({
  summary: 'reach ports of a pod from this machine',
  details:
    'Runs until Ctrl-C, by direct SSH. Reconnects after a break or a restart of the pod; ends when the pod has stopped or is gone. Only this machine can connect, unless --address says otherwise.',
  changesMachine: true,
  waits: true,
  exits: [EXIT.jobFailed],
  output: manyOf(FORWARD),
  args: {
    id: idArgument(PODS),
    ports: arg.any('8080, or 9000:8080 for 9000 here; :8080 takes any free port', {
      metavar: 'LOCAL:REMOTE',
    }),
  },
  options: {
    reverse: option.texts('forward a port of the pod to one of this machine', {
      short: '-R',
      metavar: 'REMOTE:LOCAL',
    }),
    address: option.text('the address to listen at; anything but loopback lets other machines connect', {
      metavar: 'ADDRESS',
      initialText: '127.0.0.1',
    }),
    open: option.on('open the first port in the browser'),
    start: START,
  },
  examples: [
    ['berth pods forward train-llm 8888', 'a notebook of the pod at http://127.0.0.1:8888'],
    ['berth pods forward train-llm 0:8888 6006:6006 --open', 'several; the first on any free port, in the browser'],
    ['berth pods forward train-llm --reverse 5432:5432', 'the pod reaches a database of this machine'],
  ],
  run: async (ctx, { id, ports, reverse, address = '127.0.0.1', open, start }) => {
    const asked = [...ports.map(forwardToPod), ...reverse.map(forwardFromPod)];
    if (asked.length === 0) throw usage('missing LOCAL:REMOTE', 'Name ports: 8888:8888, or 8888 for both.');
    if (!/^[\w.:*-]+$/.test(address) || address.startsWith('-'))
      throw usage(`--address is no address: ${JSON.stringify(address)}`);
    const first = asked.find(({ direction }) => direction === 'to-pod');
    if (open && first === undefined) throw usage('--open needs a port of the pod', 'Add LOCAL:REMOTE.');
    const forwards = await withFreePorts(ctx, address, asked);
    if (first !== undefined && !isLoopback(address === '::1' ? '[::1]' : address))
      await ctx.tell('Other machines can connect to these ports.');
    let rows: RowWriter | undefined;
    try {
      if (start) await reachPod(ctx, id, true);
      return await keepConnected(ctx, {
        word: id,
        forwards,
        address,
        onOpen: async (pod, opened) => {
          rows ??= ctx.rows(forwardView);
          await rows.rows(opened.map((each) => rowOf(pod.id, address, each)));
          await ctx.tell(`Connected to ${pod.name}. Ctrl-C ends it.`);
          if (open) await openInBrowser(ctx, address, opened);
        },
      });
    } catch (error) {
      if (!isInterrupt(error)) throw error;
      return { kind: 'nothing', exit: error.exit };
    } finally {
      await rows?.close();
    }
  },
});

/** Usage (2) for a forward that is named twice, port-in-use (14). */
async function withFreePorts(
  ctx: CommandContext,
  address: string,
  asked: readonly Forward[],
): Promise<readonly Forward[]> {
  const found: Forward[] = [];
  for (const each of asked) {
    if (each.direction === 'from-pod') found.push(each);
    else {
      if (found.some(({ direction, local }) => direction === 'to-pod' && local === each.local))
        throw usage(`port ${String(each.local)} is named twice`);
      found.push({ ...each, local: await ctx.spawn.freePort(address, each.local) });
    }
  }
  return found;
}

async function openInBrowser(ctx: CommandContext, address: string, [first]: readonly Forward[]): Promise<void> {
  const url = `http://${isLoopback(address) ? address : '127.0.0.1'}:${String(first?.local)}/`;
  if (!(await ctx.spawn.openInBrowser(url))) await ctx.tell(`No browser could be started. Open ${url}`);
}

const rowOf = (pod: string, address: string, { direction, local, remote }: Forward): Json => ({
  id: pod,
  direction,
  address: direction === 'to-pod' ? address : 'localhost',
  local,
  remote,
});

/** `LOCAL:REMOTE` or one number; `:REMOTE` and `0:REMOTE` use any free local port. Usage (2). */
function forwardToPod(word: string): Forward {
  const [local, remote] = portsOf(word, 'LOCAL:REMOTE');
  if (remote === 0)
    throw usage(`${JSON.stringify(word)}: 0 is no port of a pod`, 'Write 0:REMOTE for any free port here.');
  return { direction: 'to-pod', local, remote };
}

/** `REMOTE:LOCAL` as ssh -R; `:LOCAL` and `0:LOCAL` use any free port of the pod. Usage (2). */
function forwardFromPod(word: string): Forward {
  const [remote, local] = portsOf(word, 'REMOTE:LOCAL');
  if (local === 0) throw usage(`--reverse ${JSON.stringify(word)}: 0 is no port of this machine`);
  return { direction: 'from-pod', local, remote };
}

const MAX_PORT = 65_535;

function portsOf(word: string, form: string): readonly [number, number] {
  const found = /^(?:(\d{0,5}):)?(\d{1,5})$/.exec(word);
  const second = Number(found?.[2]);
  const first = found?.[1] === undefined ? second : Number(found[1]);
  if (found === null || first > MAX_PORT || second > MAX_PORT)
    throw usage(
      `${JSON.stringify(word)} is not ${form}`,
      'Ports are numbers from 1 to 65535: 8888:8888, or 8888 for the same on both sides; 0 as the first takes a free one.',
    );
  return [first, second];
}
