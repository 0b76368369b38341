import { textColumn } from '../../cli/resource/fields.ts';
import { itemsAt } from '../../core/json.ts';
import type { PrintedPart } from '../../core/message.ts';
import { list, text } from '../../output/cells.ts';
import type { Tone, View } from '../../output/view.ts';

const TONES: Readonly<Record<string, Tone>> = { ok: 'good', waiting: 'warn', blocked: 'bad' };

export const verdictView = (cure: readonly (readonly PrintedPart[])[]): View => ({
  noun: ['verdict', 'verdicts'],
  id: text('code'),
  members: ['verdict', 'code', 'state', 'evidence', 'cure'],
  columns: [textColumn('verdict'), textColumn('code'), textColumn('state')],
  detail: (row) => [
    {
      lines: [
        { label: 'verdict', value: { text: text('verdict')(row), tone: TONES[text('state')(row)] ?? 'plain' } },
        { label: 'code', value: text('code')(row) },
      ],
    },
    {
      title: 'evidence',
      lines: itemsAt(row, 'evidence').map((each) => ({
        label: text('fact')(each),
        // Without the query, which would leave no room; the JSON has it.
        value: `${text('value')(each)} (${text('source')(each).replace(/\?.*$/, '')})`,
      })),
    },
    {
      title: 'what to do',
      lines: list('cure')(row).map((line, at) => ({
        label: String(at + 1),
        value: { text: line, ...(cure[at] === undefined ? {} : { parts: cure[at] }) },
      })),
    },
  ],
});
