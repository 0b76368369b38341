import { defineGroup } from '../../cli/model/command.ts';
import { report } from './report.ts';
import { summary } from './summary.ts';

export const billing = defineGroup('what was spent, and on what', { report, summary });
