import { defineGroup } from '../../cli/model/command.ts';
import { check } from './check.ts';
import { history } from './history.ts';
import { run } from './run.ts';
import { snooze } from './snooze.ts';
import { status } from './status.ts';

export const guard = defineGroup('deadlines and rules that end pods nobody needs', {
  check,
  run,
  status,
  history,
  snooze,
});
