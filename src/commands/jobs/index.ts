import { defineGroup } from '../../cli/model/command.ts';
import { cancel } from './cancel.ts';
import { retry } from './retry.ts';
import { status } from './status.ts';
import { batch } from '../batch/index.ts';
import { explain } from './explain.ts';
import { recent } from './recent.ts';
import { run } from './run.ts';
import { stream } from './stream.ts';
import { wait } from './wait.ts';

export const jobs = defineGroup('run, follow, cancel and retry jobs on an endpoint', {
  run,
  status,
  stream,
  cancel,
  retry,
  wait,
  recent,
  explain,
  batch,
});
