import { EXIT } from '../../core/exit-codes.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { text, toned } from '../../output/cells.ts';
import type { View } from '../../output/view.ts';
import { addressChecks } from './addresses.ts';
import { advice, asRow, CHECKS, createFailedRow, keyCheck, proxyCheck, settingsCheck } from './environment.ts';
import { textColumn } from '../../cli/resource/fields.ts';

const doctorView: View = {
  noun: ['check', 'checks'],
  id: text('check'),
  columns: [
    textColumn('check'),
    { header: 'RESULT', show: toned('result', { OK: 'good', WARNING: 'warn', ERROR: 'bad', SKIPPED: 'quiet' }) },
    textColumn('finding'),
    // Printed below the table as well, where it is never truncated.
    { header: 'WHAT TO DO', show: text('hint'), wide: true },
  ],
};

/** A failed check does not stop the others. */
export const doctor = defineCommand({
  output: CHECKS,
  summary: 'check addresses, key, clock, proxy and settings; changes nothing',
  examples: [['berth doctor', 'each check, and what to do where one fails']],
  details:
    'Each request is sent once, without retries. Ends 0 only when all is well; else with the exit code of the first thing that is not.',
  run: async (ctx) => {
    const failed = createFailedRow();
    const settings = await settingsCheck(ctx, failed);
    const checks = [
      settings.check,
      proxyCheck(ctx),
      await keyCheck(ctx, settings, failed),
      ...(await addressChecks(ctx, settings, failed)),
    ];
    const bad = checks.find((each) => each.result === 'ERROR');
    return {
      kind: 'many',
      view: doctorView,
      values: checks.map((check) => asRow(check, ctx.settings)),
      notes: ctx.output.format === undefined || ctx.output.format === 'table' ? checks.flatMap(advice) : [],
      exit: bad === undefined ? EXIT.done : (bad.exit ?? EXIT.bug),
    };
  },
});
