import { defineGroup } from '../../cli/command.ts';
import { clock, fault, reset, status } from './control.ts';
import { exec, serve } from './serve.ts';
import { stock } from './stock.ts';
import { workerEnv } from './worker-env.ts';

export const local = defineGroup(
  'the local service: serve it, move its clock, inject faults',
  { serve, exec, 'worker-env': workerEnv, status, reset, clock, fault, stock },
  'The local service is the whole contract on this machine: with --local any command runs against it, no account needed. worker-env, status, reset, clock, fault and stock speak to the one that BERTH_BASE_URL names where that is on this machine (as inside `berth local exec`), else to the one that --local uses.',
);
