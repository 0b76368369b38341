import { EXIT } from '../../core/exit-codes.ts';
import { isInterrupt, usage } from '../../core/failure.ts';
import { numberAt, stringAt } from '../../core/json.ts';
import { isLoopback } from '../../core/addresses.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { manyOf, ownObject, TEXT, WHOLE } from '../../cli/model/output-schema.ts';
import { arg, option } from '../../cli/model/params.ts';
import { idArgument } from '../../cli/resource/read.ts';
import { idOf, type View } from '../../output/view.ts';
import { PODS } from './resource.ts';
import { reachPod } from './reach-pod.ts';
import { START } from './start-first.ts';
import type { RowWriter } from '../../output/render.ts';
import { type Forward, keepConnected } from './forward-connection.ts';

const FORWARD = ownObject({
  id: TEXT,
  address: { ...TEXT, description: 'of this machine' },
  local: WHOLE,
  remote: WHOLE,
});

const forwardView: View = {
  noun: ['forward', 'forwards'],
  id: idOf,
  members: ['id', 'address', 'local', 'remote'],
  columns: [
    { header: 'HERE', show: (row) => `${stringAt(row, 'address') ?? ''}:${String(numberAt(row, 'local'))}` },
    { header: 'POD PORT', show: (row) => String(numberAt(row, 'remote')), right: true },
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
  ],
  run: async (ctx, { id, ports, address = '127.0.0.1', open, start }) => {
    const asked = ports.map(forwardOf);
    if (asked.length === 0) throw usage('missing LOCAL:REMOTE', 'Name ports: 8888:8888, or 8888 for both.');
    if (!/^[\w.:*-]+$/.test(address) || address.startsWith('-'))
      throw usage(`--address is no address: ${JSON.stringify(address)}`);
    const forwards: Forward[] = [];
    for (const { local, remote } of asked) {
      if (forwards.some((each) => each.local === local)) throw usage(`port ${String(local)} is named twice`);
      forwards.push({ local: await ctx.spawn.freePort(address, local), remote });
    }
    if (!isLoopback(address === '::1' ? '[::1]' : address))
      await ctx.tell('Other machines can connect to these ports.');
    let rows: RowWriter | undefined;
    try {
      if (start) await reachPod(ctx, id, true);
      return await keepConnected(ctx, {
        word: id,
        forwards,
        address,
        onOpen: async (pod) => {
          rows = ctx.rows(forwardView);
          await rows.rows(forwards.map((each) => ({ id: pod.id, address, ...each })));
          await ctx.tell(`Connected to ${pod.name}. Ctrl-C ends it.`);
          if (open) await openInBrowser(ctx, address, forwards);
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

async function openInBrowser(ctx: CommandContext, address: string, [first]: readonly Forward[]): Promise<void> {
  const url = `http://${isLoopback(address) ? address : '127.0.0.1'}:${String(first?.local)}/`;
  if (!(await ctx.spawn.openInBrowser(url))) await ctx.tell(`No browser could be started. Open ${url}`);
}

const MAX_PORT = 65_535;

/** `LOCAL:REMOTE` or one number; `:REMOTE` and `0:REMOTE` use any free local port. Usage (2). */
function forwardOf(word: string): Forward {
  const [all, first, second] = /^(?:(\d{0,5}):)?(\d{1,5})$/.exec(word) ?? [];
  const [local, remote] = [Number(first ?? second), Number(second)];
  if (all !== undefined && local <= MAX_PORT && remote <= MAX_PORT && remote > 0) return { local, remote };
  throw usage(
    `${JSON.stringify(word)} is not LOCAL:REMOTE`,
    'Ports are numbers from 1 to 65535: 8888:8888, or 8888 for both; 0:8888 takes a free port here.',
  );
}
