import { describe, expect, test } from 'vitest';
import { decodeJson } from '../../../../src/core/json.ts';
import * as cells from '../../../../src/output/cells.ts';
import { cellPieces } from '../../../../src/output/cell-text.ts';
import { NOW } from '../../../support/output/screen.ts';

const facts = { now: NOW };
const row = (value: string) => decodeJson(`{"at":${value}}`);

describe('a cell', () => {
  test.each([
    ['text', cells.text, '"x"', 'x'],
    ['text', cells.text, '9007199254740993', '9007199254740993'],
    ['text', cells.text, '{"a":[1.0]}', '{"a":[1.0]}'],
    ['text', cells.text, 'null', '-'],
    ['list', cells.list, '["a",1,{"b":2}]', 'a, 1, {"b":2}'],
    ['list', cells.list, '[]', '-'],
    ['list', cells.list, '"not a list"', 'not a list'],
    ['age', cells.age, '"2026-01-03T11:59:58Z"', '2s'],
    ['age', cells.age, '"2026-01-03T09:30:00Z"', '2h'],
    ['age', cells.age, '"2025-12-01T00:00:00+02:00"', '33d'],
    ['age', cells.age, '"yesterday"', 'yesterday'],
    ['seconds', cells.seconds, '93784', '1d2h'],
    ['milliseconds', cells.milliseconds, '450', '450ms'],
    ['seconds', cells.seconds, '-1', '-1'],
    ['money', cells.money, '0.79', '$0.79'],
    ['money', cells.money, '9007199254740993', '$9007199254740993'],
    ['money', cells.money, '1e400', '1e400'],
    ['money', cells.money, '"free"', 'free'],
    ['gigabytes', cells.gigabytes, '20', '20 GB'],
    ['yesNo', cells.yesNo, 'false', 'no'],
    ['yesNo', cells.yesNo, '"maybe"', 'maybe'],
    ['percent', cells.percent, '42', '███░░░░░ 42%'],
    ['percent', cells.percent, '0', '░░░░░░░░ 0%'],
    ['percent', cells.percent, '[1]', '[1]'],
  ])('%s of %s%s is formatted', (_name, show, value, expected) => {
    expect(
      cellPieces(show(row(value), 'at', facts))
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
    expect(cells.status(row(JSON.stringify(text)), 'at')).toEqual({ text, tone });
  });
});
