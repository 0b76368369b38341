import { arg } from '../../cli/model/params.ts';
import { noun } from '../../cli/resource/noun.ts';
import { explainCommand } from '../explain/command.ts';
import { restart, start, stop, terminate } from './actions.ts';
import { cp } from './cp.ts';
import { create, update } from './create.ts';
import { exec } from './exec.ts';
import { forward } from './forward.ts';
import { logs } from './logs.ts';
import { isReachable } from './reachable.ts';
import { get, list, SUMMARY } from './reads.ts';
import { ssh } from './ssh.ts';
import { connect, sshConfig } from './ssh-config.ts';
import { wait } from './wait.ts';

const explain = explainCommand({
  summary: 'say whether a pod runs, or why not and what to do',
  args: { id: arg.text('pod id or name', { metavar: 'POD' }) },
  examples: [['berth pods explain pod-broken', 'why is it in ERROR, or why does it not start?']],
  about: ['pod'],
  read: async (ctx, { id }) => (await import('../explain/reads.ts')).readPod(ctx, id, isReachable),
});

export const pods = noun(SUMMARY, {
  list,
  get,
  create,
  update,
  delete: terminate,
  terminate,
  start,
  stop,
  restart,
  wait,
  logs,
  explain,
  ssh,
  exec,
  cp,
  forward,
  connect,
  'ssh-config': sshConfig,
});
