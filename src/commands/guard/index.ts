import { defineGroup } from '../../cli/model/command.ts';
import { run } from './run.ts';
import { status } from './status.ts';

export const guard = defineGroup('deadlines and limits that end pods nobody needs', { run, status });
