import { EXIT } from '../../core/exit-codes.ts';
import { defineCommand } from '../../cli/command.ts';

import { text, toned } from '../../output/layout/cell-functions.ts';
import type { View } from '../../output/view.ts';
import { addressChecks } from './addresses.ts';
import { CHECKS, advice, asRow, createFailedRows } from './check.ts';
import { keyCheck, proxyCheck, settingsCheck } from './environment.ts';
import { textColumn } from '../../cli/resource/detail-lines.ts';

const doctorView: View = {
  noun: ['check', 'checks'],
  id: text('check'),
  columns: [
    textColumn('check'),
    { header: 'RESULT', show: toned('result', { OK: 'good', WARNING: 'warn', ERROR: 'bad', SKIPPED: 'quiet' }) },
    textColumn('finding'),
    // Printed below the table as well, where it is never cut.
    { header: 'WHAT TO DO', show: text('hint'), wide: true },
  ],
};

/** `berth doctor`: each check is a row, and a check that fails does not keep the others from being made. */
export const doctor = defineCommand({
  output: CHECKS,
  summary: 'check addresses, key, clock, proxy and settings; changes nothing',
  examples: [['berth doctor', 'each check, and what to do where one fails']],
  details:
    'Each request is sent once, without retries. Ends 0 only when all is well; else with the exit code of the first thing that is not.',
  run: async (ctx) => {
    const rows = createFailedRows();
    const settings = await settingsCheck(ctx, rows);
    const checks = [
      settings.check,
      proxyCheck(ctx),
      await keyCheck(ctx, settings, rows),
      ...(await addressChecks(ctx, settings, rows)),
    ];
    const bad = checks.find((each) => each.result === 'ERROR');
    return {
      kind: 'many',
      view: doctorView,
      values: checks.map(asRow),
      notes: ctx.output.format === undefined || ctx.output.format === 'table' ? checks.flatMap(advice) : [],
      exit: bad === undefined ? EXIT.done : (bad.exit ?? EXIT.bug),
    };
  },
});
