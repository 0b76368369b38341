import { describe, expect, test } from 'vitest';
import { decodeJson } from '../../../../src/core/json.ts';
import * as cells from '../../../../src/output/cells.ts';
import { cellPieces } from '../../../../src/output/cell-text.ts';
import { NOW } from '../../../support/output/screen.ts';

const facts = { now: NOW };
const row = (value: string) => decodeJson(`{"at":${value}}`);

describe('a cell', () => {
  test.each([
    ['text', cells.text('at'), '"x"', 'x'],
    ['text', cells.text('at'), '9007199254740993', '9007199254740993'],
    ['text', cells.text('at'), '{"a":[1.0]}', '{"a":[1.0]}'],
    ['text', cells.text('at'), 'null', '-'],
    ['list', cells.list('at'), '["a",1,{"b":2}]', 'a, 1, {"b":2}'],
    ['list', cells.list('at'), '[]', '-'],
    ['list', cells.list('at'), '"not a list"', 'not a list'],
    ['age', cells.age('at'), '"2026-01-03T11:59:58Z"', '2s'],
    ['age', cells.age('at'), '"2026-01-03T09:30:00Z"', '2h'],
    ['age', cells.age('at'), '"2025-12-01T00:00:00+02:00"', '33d'],
    ['age', cells.age('at'), '"yesterday"', 'yesterday'],
    ['seconds', cells.seconds('at'), '93784', '1d2h'],
    ['milliseconds', cells.milliseconds('at'), '450', '450ms'],
    ['seconds', cells.seconds('at'), '-1', '-1'],
    ['money', cells.money('at'), '0.79', '$0.79'],
    ['money', cells.money('at'), '9007199254740993', '$9007199254740993'],
    ['money', cells.money('at'), '1e400', '1e400'],
    ['money', cells.money('at'), '"free"', 'free'],
    ['gigabytes', cells.gigabytes('at'), '20', '20 GB'],
    ['yesNo', cells.yesNo('at'), 'false', 'no'],
    ['yesNo', cells.yesNo('at'), '"maybe"', 'maybe'],
    ['percent', cells.percent('at'), '42', '███░░░░░ 42%'],
    ['percent', cells.percent('at'), '0', '░░░░░░░░ 0%'],
    ['percent', cells.percent('at'), '[1]', '[1]'],
  ])('%s of %s%s is formatted', (_name, show, value, expected) => {
    expect(
      cellPieces(show(row(value), facts), { terminal: true })
        .map(({ text }) => text)
        .join(''),
    ).toBe(expected);
  });

  test.each([
    ['RUNNING', 'good'],
    ['IN_QUEUE', 'busy'],
    ['TIMED_OUT', 'bad'],
    ['CANCELLED', 'quiet'],
    ['HIBERNATING', 'plain'],
    ['constructor', 'plain'],
  ])('status %s has the tone %s', (text, tone) => {
    expect(cells.status('at')(row(JSON.stringify(text)))).toEqual({ text, tone });
  });
});
