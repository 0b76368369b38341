import { defineGroup } from '../../cli/model/command.ts';
import { clock, fault, pods, reset, status } from './control.ts';
import { exec, serve, workerEnv } from './serve.ts';
import { stock } from './stock.ts';

export const local = defineGroup(
  'the local service: serve it, move its clock, inject faults',
  { serve, exec, 'worker-env': workerEnv, status, reset, clock, fault, stock, pods },
  'The local service is a copy of the service on this machine. With --local, any command runs against it; you need no account. worker-env, status, reset, clock, fault, stock and pods use the local service that --base-url, BERTH_BASE_URL or the profile names, if that is on this machine (as inside `berth local exec`), and otherwise that of --local.',
);
