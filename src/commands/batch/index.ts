import { defineGroup } from '../../cli/model/command.ts';
import { cancel } from './cancel.ts';
import { exportBatch } from './export.ts';
import { report } from './report.ts';
import { resume } from './resume.ts';
import { run } from './run.ts';
import { status } from './status.ts';

export const batch = defineGroup(
  'run a job for each line of a file, and record what became of each',
  { run, resume, status, report, export: exportBatch, cancel },
  'Results are written to the file of --out. The journal beside it lets a batch continue after any interruption. An item whose submission got no answer is unknown: it is listed, and is sent again only with --resubmit unknown.',
);
